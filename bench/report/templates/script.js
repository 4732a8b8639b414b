"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const byId = new Map(data.outputs.map((o) => [o.id, o]));
  const $ = (id) => document.getElementById(id);
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const el = (tag, text = "", className = "") => {
    const made = document.createElement(tag);
    made.textContent = text;
    if (className) made.className = className;
    return made;
  };
  const shelf = $("shelf");
  const marksOf = (root, atom) => all("mark", root).filter((m) => m.dataset.atoms.split(" ").includes(atom));

  // ---- filters

  const boxes = all("#f-arms input");
  const chosen = () => ({
    fixture: $("f-fixture").value,
    disputed: Boolean($("f-disputed")?.checked),
    tag: $("f-tag") ? $("f-tag").value : "",
    arms: new Set(boxes.filter((b) => b.checked).map((b) => b.value)),
  });
  const plural = (n, one) => `${n} ${one}${n === 1 ? "" : "s"}`;

  function filter() {
    const { fixture, tag, disputed, arms } = chosen();
    for (const e of all("[data-arm]")) e.hidden = !arms.has(e.dataset.arm);
    const atoms = all(".atoms > li");
    for (const e of atoms) {
      e.hidden = Boolean((fixture && e.dataset.fixture !== fixture) || (tag && e.dataset.tag !== tag) || (disputed && e.dataset.disputed === undefined));
    }
    $("f-count").textContent = `(${arms.size} of ${boxes.length})`;
    const seen = atoms.filter((e) => !e.hidden).length;
    $("f-shown").textContent = atoms.length ? `${seen} of ${plural(atoms.length, "atom")}` : "";
    const left = data.outputs.filter((o) => (!fixture || o.fixture === fixture) && arms.has(o.name) && (!disputed || o.disputes.length));
    for (const pane of panes) pane.offer(left);
  }

  // ---- an atom's verdicts, written when it is opened

  function verdictOf(output, atom) {
    const at = data.atoms[output.fixture].indexOf(atom);
    const letters = output.verdicts.map((v) => v[at]).filter((c) => c !== " ");
    if (!letters.length) return null;
    const words = letters.map((c) => data.words[c]);
    const same = words.every((w) => w === words[0]);
    return { told: same ? words[0] : words.join(", "), kind: same ? words[0].split(" ")[0] : "mixed", held: letters.every((c) => c === "C" || c === "P") };
  }

  function quoted(output, atom) {
    const words = marksOf($(output.id), atom).map((m) => m.textContent).join(" ").replace(/\s+/g, " ").trim();
    return words.length > 160 ? `${words.slice(0, 159)}…` : words;
  }

  function listVerdicts(details) {
    const list = details.querySelector(".said-in");
    if (list.childElementCount) return;
    const cut = details.id.indexOf("/");
    const [fixture, atom] = [details.id.slice(0, cut), details.id.slice(cut + 1)];
    const { arms } = chosen();
    for (const output of data.outputs.filter((o) => o.fixture === fixture)) {
      const verdict = verdictOf(output, atom);
      if (!verdict) continue;
      const item = el("li");
      item.dataset.arm = output.name;
      item.hidden = !arms.has(output.name);
      const body = el("span");
      const words = output.here ? quoted(output, atom) : "";
      const where = el("span", `${output.name} ${output.label}`, "where");
      if (words) {
        where.append(" · ", link(`#left/${output.id}/${atom}`, "show"), " · ", link(`#right/${output.id}/${atom}`, "show right"));
        body.append(el("q", words));
      } else if (output.here) {
        where.append(" · ", link(`#left/${output.id}`, "read"));
      } else if (output.file) {
        where.append(" · ", link(output.file, "file"));
      }
      body.prepend(where);
      item.append(el("span", verdict.told, `v ${verdict.kind}`), body);
      list.append(item);
    }
  }

  function link(href, text) {
    const made = el("a", text);
    made.href = href;
    return made;
  }

  // ---- two handoffs beside each other

  class Pane {
    constructor(side) {
      this.side = side;
      this.root = $(side);
      this.select = this.root.querySelector("select");
      this.reading = this.root.querySelector(".reading");
      this.at = -1;
      this.output = null;
      this.select.addEventListener("change", () => this.show(byId.get(this.select.value)));
      this.root.querySelector(".back").addEventListener("click", () => this.step(-1));
      this.root.querySelector(".on").addEventListener("click", () => this.step(1));
    }

    offer(outputs) {
      const kept = this.output && outputs.includes(this.output) ? this.output : null;
      this.select.replaceChildren();
      for (const fixture of new Set(outputs.map((o) => o.fixture))) {
        const group = document.createElement("optgroup");
        group.label = fixture;
        for (const o of outputs.filter((one) => one.fixture === fixture)) {
          group.append(new Option(`${o.name} ${o.label} · ${o.recall}`, o.id));
        }
        this.select.append(group);
      }
      const right = this.side === "right";
      const first = byId.get(data.pair[right ? 1 : 0]);
      this.show(kept || (outputs.includes(first) && first) || outputs[right ? this.second(outputs) : 0] || null);
    }

    second(outputs) {
      const at = outputs.findIndex((o) => o.fixture === outputs[0].fixture && o.name !== outputs[0].name);
      return at < 0 ? Math.min(1, outputs.length - 1) : at;
    }

    show(output) {
      this.output = output;
      this.at = -1;
      this.reading.replaceChildren();
      this.reading.scrollTop = 0;
      this.root.querySelector(".facts").textContent = output ? output.facts : "No output fits the filters.";
      if (output?.more) this.root.querySelector(".facts").append(` · ${plural(output.more, "further replicate")}`, ...this.folder(output));
      const line = this.root.querySelector(".disputed");
      line.hidden = !output?.disputes.length;
      line.textContent = output ? output.disputes.join(" · ") : "";
      if (output) {
        this.select.value = output.id;
        this.reading.append(output.here ? $(output.id).querySelector("pre").cloneNode(true) : this.elsewhere(output));
      }
      const none = !all("mark", this.reading).length;
      for (const button of all("button", this.root)) button.disabled = none;
      for (const pane of panes) pane.tellOnly();
    }

    elsewhere(output) {
      const told = el("p", output.file ? "Not on this page, which would grow too large: " : "This output has no text.");
      if (output.file) told.append(link(output.file, output.file));
      return told;
    }

    folder(output) {
      const to = output.file?.slice(0, output.file.lastIndexOf("/") + 1);
      return to ? [" in ", link(to, to)] : [];
    }

    tellOnly() {
      const line = this.root.querySelector(".only");
      const other = panes.find((p) => p !== this).output;
      line.replaceChildren();
      if (!this.output || !other || this.output.fixture !== other.fixture || this.output === other) return;
      const held = (o, atom) => Boolean(verdictOf(o, atom)?.held);
      const only = data.atoms[other.fixture].filter((a) => held(this.output, a) && !held(other, a));
      line.append(only.length ? "Carried only here: " : "Carries nothing that the other does not.");
      only.forEach((atom, i) => line.append(i ? ", " : "", link(`#${this.side}/${this.output.id}/${atom}`, atom)));
    }

    step(by) {
      const found = all("mark", this.reading);
      this.point([found[(this.at + by + found.length) % found.length]]);
    }

    point(found) {
      all("mark.here", this.reading).forEach((m) => m.classList.remove("here"));
      if (!found.length) return;
      found.forEach((m) => m.classList.add("here"));
      this.at = all("mark", this.reading).indexOf(found[0]);
      found[0].scrollIntoView({ block: "center" });
      found[0].focus({ preventScroll: true });
    }
  }

  const panes = [];

  function follow() {
    const [side, id, ...rest] = decodeURIComponent(location.hash.slice(1)).split("/");
    const pane = panes.find((p) => p.side === side);
    const output = byId.get(id);
    if (pane && output) {
      pane.show(output);
      pane.root.scrollIntoView({ block: "nearest" });
      if (rest.length) pane.point(marksOf(pane.reading, rest.join("/")));
      else pane.reading.focus();
    }
  }

  panes.push(new Pane("left"), new Pane("right"));
  shelf.hidden = true;
  $("panes").hidden = false;
  $("filters").hidden = false;
  $("filters").addEventListener("change", filter);
  $("filters").addEventListener("submit", (event) => event.preventDefault());
  for (const [id, on] of [["f-all", true], ["f-none", false]]) {
    $(id).addEventListener("click", () => {
      for (const box of boxes) box.checked = on;
      filter();
    });
  }
  for (const details of all(".atoms details")) details.addEventListener("toggle", () => details.open && listVerdicts(details));
  // a link to the same place as before changes no address, and is followed all the same
  document.addEventListener("click", (event) => {
    const to = event.target.closest?.("a[href^='#']");
    if (to && to.getAttribute("href") === location.hash) follow();
  });
  window.addEventListener("hashchange", follow);
  filter();
  follow();
})();
