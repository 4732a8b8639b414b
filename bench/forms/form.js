// The page's side of bench/forms: shows `shown`, sends one message an action. All text goes in as text, never as markup.

const ANSWER_MS = 5000; // longer than any action takes on a kernel that is there
const NO_ANSWER = "The kernel does not answer. If it was stopped or started anew, run the cell again: what was decided is kept.";
const TYPING = "textarea, select, input";
const ARROWS = { ArrowLeft: "b", ArrowRight: "s" };
const SCROLL = { ArrowDown: [60, 0], ArrowUp: [-60, 0], PageDown: [0, 0.9], PageUp: [0, -0.9], " ": [0, 0.9] };

function make(tag, className = "", text = "") {
  const made = document.createElement(tag);
  if (className) made.className = className;
  made.textContent = text;
  return made;
}

function fieldElement(field, id) {
  const box = make("div", `hb-field hb-${field.kind}`);
  const label = make("label", "", field.label);
  label.htmlFor = id;
  const input = make(field.kind === "choice" ? "select" : "textarea");
  for (const option of field.options) input.append(new Option(option, option));
  if (field.kind !== "choice") {
    input.rows = Math.min(Math.max(Math.ceil(field.value.length / 52), field.value.split("\n").length, field.kind === "text" ? 2 : 1), 6);
    input.spellcheck = field.kind === "text";
  }
  input.id = id;
  input.dataset.field = field.name;
  input.value = field.value;
  box.append(label, input);
  return box;
}

function partElement(part) {
  const box = make("section", part.named ? "hb-part hb-named" : "hb-part");
  const pre = make("pre");
  for (const piece of part.pieces) pre.append(piece.marked ? make("mark", "", piece.text) : piece.text);
  if (part.head) box.append(make("h4", "", part.head));
  box.append(pre);
  return box;
}

function render({ model, el }) {
  const root = make("div", "hb-form");
  root.tabIndex = 0;
  root.setAttribute("role", "group");
  const [told, reading] = [make("p", "hb-told"), make("div", "hb-reading")];
  told.setAttribute("role", "status");
  reading.tabIndex = 0;
  let [waiting, timer, body, at] = [false, 0, null, null];
  const prefix = `hb-${Math.random().toString(36).slice(2)}`; // a form may be on the page twice
  const field = (name) => root.querySelector(`[data-field="${CSS.escape(name)}"]`);
  const tell = (text, bad) => {
    told.textContent = text;
    told.classList.toggle("hb-bad", Boolean(bad));
  };

  function send(name, more = {}) {
    if (waiting) return;
    waiting = true;
    timer = setTimeout(() => { settled(); tell(NO_ANSWER, true); }, ANSWER_MS);
    const fields = Object.fromEntries([...root.querySelectorAll("[data-field]")].map((e) => [e.dataset.field, e.value]));
    model.send({ do: name, turn: model.get("shown").turn, fields: { ...fields, ...more } });
  }

  function act(action) {
    if (action.off) return;
    if (action.flip) {
      const choice = field(action.flip);
      choice.selectedIndex = (choice.selectedIndex + 1) % choice.options.length;
    } else if (action.focus || action.takes) {
      const chosen = window.getSelection();
      const input = field(action.focus || action.takes);
      if (action.takes && chosen.anchorNode && reading.contains(chosen.anchorNode) && !chosen.isCollapsed) {
        input.value = chosen.toString().trim();
      } else {
        input.focus();
        input.select?.();
      }
    } else {
      send(action.name);
    }
  }

  function button(action) {
    const made = make("button", `hb-${action.look}`, action.label);
    made.type = "button";
    made.disabled = action.off;
    made.dataset.action = action.name;
    if (action.chosen) made.setAttribute("aria-pressed", "true");
    made.setAttribute("aria-keyshortcuts", action.key);
    if (action.key) made.append(make("kbd", "", action.key));
    made.addEventListener("click", () => act(action));
    return made;
  }

  function row(actions) {
    const made = make("div", "hb-row");
    made.append(...actions.map(button));
    return made;
  }

  function bar(shown) {
    const made = make("div", "hb-bar");
    const [jump, meter] = [make("select"), make("progress")];
    for (const place of shown.places) jump.append(new Option(place.name, place.value));
    jump.value = shown.at;
    jump.setAttribute("aria-label", "go to");
    jump.addEventListener("change", () => { send("go", { to: jump.value }); jump.value = shown.at; });
    [meter.max, meter.value] = [Math.max(shown.of, 1), shown.done];
    meter.setAttribute("aria-label", "done");
    if (shown.places.length) made.append(jump);
    made.append(meter, make("span", "hb-progress", shown.progress));
    return made;
  }

  function settled() {
    clearTimeout(timer);
    waiting = false;
  }

  function draw() {
    settled();
    const shown = model.get("shown");
    const had = root.contains(document.activeElement);
    const [next, head, side] = [make("div", "hb-body"), make("div", "hb-head"), make("div", "hb-side")];
    const [first, ...more] = shown.rows.map(row);
    // the deciding buttons stand first, so that they are in the same place for every one
    head.append(...(first ? [first] : []), told, make("div", "hb-title", shown.title), make("div", "hb-status", shown.status));
    for (const note of shown.notes) head.append(make("div", "hb-note", note));
    for (const one of shown.fields) side.append(fieldElement(one, `${prefix}-${one.name}`));
    side.append(...more);
    const top = shown.at === at ? reading.scrollTop : 0;
    at = shown.at;
    reading.replaceChildren(...shown.reading.map(partElement));
    reading.setAttribute("aria-label", shown.reading_label);
    next.append(bar(shown), head, side, reading);
    root.setAttribute("aria-label", `${shown.title} (${shown.progress})`);
    if (body) body.replaceWith(next);
    else root.append(next);
    body = next;
    lookAt(top);
    if (had) root.focus({ preventScroll: true });
  }

  // to what is marked; where nothing is, to where the reader was
  function lookAt(top) {
    const target = reading.querySelector("mark") || reading.querySelector(".hb-named");
    const below = target ? target.getBoundingClientRect().top - reading.getBoundingClientRect().top : 0;
    reading.scrollTop = target ? Math.max(reading.scrollTop + below - reading.clientHeight / 4, 0) : top;
  }

  // on the window and before JupyterLab's own listener on the document, which would take `a`, `b`, `d d`, `x` … as its own
  function pressed(event) {
    if (!root.isConnected || !root.contains(event.target)) return;
    const keep = (event.ctrlKey || event.metaKey) && event.key === "Enter";
    if (!keep && (event.ctrlKey || event.metaKey || event.altKey)) return;
    event.stopImmediatePropagation();
    const actions = model.get("shown").rows.flat();
    const typing = event.target.matches(TYPING);
    if (event.repeat && !typing && !(event.key in SCROLL)) return;
    if (keep || (!typing && actions.some((a) => a.key === event.key || a.key === ARROWS[event.key]))) {
      event.preventDefault();
      act(actions.find((a) => (keep ? a.look === "main" : a.key === event.key || a.key === ARROWS[event.key])));
    } else if (event.key === "Escape") {
      event.preventDefault();
      root.focus({ preventScroll: true });
    } else if (event.target === root && event.key in SCROLL) {
      event.preventDefault();
      const [pixels, share] = SCROLL[event.key];
      reading.scrollBy(0, pixels + share * reading.clientHeight);
    }
  }

  const answered = () => {
    settled();
    tell(model.get("told").text ?? "", model.get("told").bad);
  };
  const resized = new ResizeObserver(() => lookAt(reading.scrollTop));
  resized.observe(reading);
  model.on("change:shown", draw);
  model.on("change:told", answered);
  window.addEventListener("keydown", pressed, true);
  draw();
  tell(model.get("told").text ?? "", model.get("told").bad);
  el.append(root);
  requestAnimationFrame(() => {
    root.focus({ preventScroll: true });
    root.scrollIntoView({ block: "start" });
  });
  return () => {
    settled();
    resized.disconnect();
    model.off("change:shown", draw);
    model.off("change:told", answered);
    window.removeEventListener("keydown", pressed, true);
  };
}

export default { render };
