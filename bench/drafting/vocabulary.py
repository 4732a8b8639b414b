"""Words that tell little: those that carry no sentence, and those that are no handle to find one by."""

from __future__ import annotations

_STOP = """
    a about actually after again ah ahead ahh all already also always an and another any anything are arent as ask
    asked at back basically be because been before being both but by came can can't cannot cant check checking come
    completely cool correctly could couldn't couldnt currently did didn't didnt do does doesn't doesnt doing don't
    done dont down each either else even ever every everything exactly feedback few finally first for from fully get
    gets getting give go goes going gonna good got great guess had has hasn't hasnt have haven't havent having he
    help her here hey him his hmm how i i'd i'll i'm i've if ill im in instead into is isn't isnt issue it it's its
    ive just keep kind know last less let let's lets like little look looking looks lot made make makes making many
    may maybe me mean might more most much must my need needs never new next nice no not nothing now of off oh ok
    okay on once one only or other our out over own perfect please properly put question rather really right run
    said same say see seem seems should shouldn't shouldnt show since so some somehow something sorry start still
    stuff successfully such sure take tell than thank thanks that that's thats the their them then there there's
    these they they're thing things think this those though thought through time to too try trying two under until
    up upon us use used using very wait want wants was wasn't wasnt way we we'd we'll we're we've well were what
    what's whats when where whether which while who why will with within without won't wont work working works would
    above across along among around away behind below beneath beside between beyond during especially except falls
    further near otherwise outside inside per plus somewhere therefore throughout toward towards via whether worth
    wouldn't wouldnt yeah yep yes yet you you're you've your youre yours
"""
_WEAK = """
    actual add added adding adds allow allows based basic best better big bug bugs call called calls case cases
    change changed changes changing close closed code comment comments confident contain contains correct create
    created creating current data different ensure ensures error errors example examples existing explain false
    feature features file files find finds first fix fixed fixes fixing follow following found full function
    functions handle handled handles idea implement implemented include included includes issues kill last left line
    lines list long main message messages method methods modified modify move moved multiple name names new next
    number numbers old open option options part possible problem problems project read reads real related remove
    removed replace replaced require required requires rest result results return returned returns review right same
    second session sessions several short simple single small specific start started step steps stop stopped support
    supports suppose test tested testing tests total true type types update updated updates updating user users
    value values version way whole wider wonder wondering write written wrong wrote
"""
STOP = frozenset(_STOP.split())
"""Words that no sentence is about."""
WEAK = frozenset(_WEAK.split())
"""Words that stand in sentences about anything: never what a sentence is found by, where it has another."""
