"""Small bugs, made from the source itself: one for each place and kind, so that nobody has to think of them.

All of them go into one copy of the sources, each behind a switch (`verify::mutant(number)`), so that one build serves all.
At most one switch is on, so what a bug needs of its neighbours is taken from the source as it is.

| kind | what it does |
|---|---|
| order | an operation has a weaker order: every one down to relaxed |
| fence | a fence is left out; a process fence is an ordinary one; the load behind a light fence comes before the store in front of it |
| split | an RMW is a load and a store |
| failure | a compare-exchange counts as won when it has lost |
| exchange | two neighbouring statements change places, if both reach the seam, or one does and the other writes a field |
| always, never | the condition of an `if` around an operation of the seam, or around a call of a function that has one |
| once | a loop that looks again does not |
| silent | a wake is left out |
| lock | a lock is not taken, or one statement later |

A statement reaches the seam through any number of calls inside the core, but not through a whole loop or join, which ends before it returns
(`core.closed`). Calls that only an instance of a template resolves are known by their names; members of what a template is given are not.

A light fence binds the compiler alone, and the machine runs programs as they are written: without the fence it would see no
difference. What the fence keeps in order is exchanged instead. To `exchange` the statements around it are neighbours. A load that is
returned, or that a function makes whose first step is the fence, is made early: before the last step in front of the fence.

Where a mutant of a kind is due but cannot be made, `left_out` says why; `run --list` prints it.
"""
import collections
import dataclasses
import re

import core
from core import Kind, source, span, squeeze

weaker = {
    "load": {"seq_cst": ["acquire", "relaxed"], "acquire": ["relaxed"]},
    "store": {"seq_cst": ["release", "relaxed"], "release": ["relaxed"]},
    "rmw": {
        "seq_cst": ["acq_rel", "acquire", "release", "relaxed"],
        "acq_rel": ["acquire", "release", "relaxed"],
        "acquire": ["relaxed"],
        "release": ["relaxed"],
    },
}


@dataclasses.dataclass
class Mutant:
    name: str  # the same as long as the code around it is the same
    kind: str
    path: str
    line: int
    function: str
    what: str  # for people
    number: int = 0
    edits: list = dataclasses.field(default_factory=list)  # (start, end, text before, text behind)
    change: tuple = ()  # the edits without their place and their number


class Maker:
    def __init__(self, read, skip=lambda function: False):
        self.core = read
        self.mutants = []
        self.left_out = []  # (path, line, why)
        self._names = collections.Counter()
        self._begins_with_fence = {f.usr for f in read.functions if begins_with_fence(f)}
        for function in read.functions:
            if function.reaches_seam and not skip(function):
                self._function(function)
        for number, mutant in enumerate(self.mutants, 1):
            mutant.number = number
            mutant.change = tuple((b - a, before, behind) for a, b, before, behind in mutant.edits)
            mutant.edits = [(a, b, before.replace("@", str(number)), behind.replace("@", str(number)))
                            for a, b, before, behind in mutant.edits]

    # ---- one mutant ------------------------------------------------------------------------------

    def _add(self, function, kind, at, place, what, *edits):
        name = f"{function.name}/{kind}/{place}"
        self._names[(function.path, name)] += 1
        if self._names[(function.path, name)] > 1:
            name += f" #{self._names[(function.path, name)]}"
        line = source(function.path).count("\n", 0, at) + 1
        self.mutants.append(Mutant(f"{short(function.path)}:{name}", kind, function.path, line, function.name, what,
                                   edits=list(edits)))

    def _function(self, function):
        for operation in function.operations:
            self._operation(operation)
        for start, end, _, name in {(a, b, None, n) for a, b, _, n in function.calls}:
            if name == "fence_heavy":
                self._fence(function, start, end, "fence_heavy", True)
        self._statements(function.cursor, function)

    def _leave_out(self, function, kind, cursor, why):
        self.left_out.append((function.path, cursor.extent.start.line, kind, why))

    # ---- operations ------------------------------------------------------------------------------

    def _operation(self, o):
        f = o.function
        if o.name in ("fence_seq_cst", "fence_process"):
            self._fence(f, o.start, o.end, o.name, o.name == "fence_process")
        elif o.name.startswith("unpark"):
            self._add(f, "silent", o.start, o.text, f"`{o.text}` is left out",
                      (o.start, o.end, "(::verify::mutant(@) ? void() : ", ")"))
        elif o.name in core.atomic_operations:
            self._atomic(o)

    def _fence(self, f, start, end, name, heavy):
        text = squeeze(source(f.path)[start:end])
        self._add(f, "fence", start, f"{text}: none", f"no `{text}`", (start, end, "(::verify::mutant(@) ? void() : ", ")"))
        if heavy:
            self._add(f, "fence", start, f"{text}: light", f"`fence_seq_cst()` in place of `{text}`",
                      (start, end, "(::verify::mutant(@) ? ::dozer::detail::fence_seq_cst() : ", ")"))

    def _atomic(self, o):
        orders = {"load": [("load", 0)], "store": [("store", 1)], "compare_exchange": [("rmw", 2), ("load", 3)],
                  "compare_exchange_weak": [("rmw", 2), ("load", 3)]}.get(o.name, [("rmw", 1)])
        f, text = o.function, o.text
        for which, (kind, index) in enumerate(orders):
            start, end = o.arguments[index]
            now = source(f.path)[start:end].split("::")[-1]
            for to in weaker[kind].get(now, []):
                role = "on failure " if which == 1 else ""
                self._add(f, "order", o.start, f"{text}: {role}{now} -> {to}", f"`{text}`: {role}{to} in place of {now}",
                          (start, end, f"::verify::mutated(@, ::verify::order::{to}, ", ")"))
        if orders[0][0] != "rmw":
            return
        start, end = o.arguments[orders[0][1]]
        order = source(f.path)[start:end]
        self._add(f, "split", o.start, text, f"`{text}` as a load and a store",
                  (start, end, f"::verify::mutated(@, ::verify::in_two({order}), ", ")"))
        if o.name.startswith("compare"):
            self._add(f, "failure", o.start, text, f"`{text}` counts as won when it has lost",
                      (start, end, f"::verify::mutated(@, ::verify::ignoring_failure({order}), ", ")"))

    # ---- statements ------------------------------------------------------------------------------

    def _statements(self, cursor, function):
        for child in cursor.get_children():
            if child.kind == Kind.COMPOUND_STMT:
                self._neighbours(child, function)
            elif child.kind == Kind.IF_STMT:
                self._if(child, function)
            elif child.kind in (Kind.WHILE_STMT, Kind.DO_STMT, Kind.FOR_STMT):
                self._loop(child, function)
            self._statements(child, function)

    def _touches(self, function, start, end):
        return any(start <= a and b <= end for a, b in [*((o.start, o.end) for o in function.operations), *function.guards]) or any(
            start <= a and b <= end and usr in self.core.steps for a, b, usr, _ in function.calls)

    def _reaches(self, function, start, end):
        """Like _touches, through any number of calls inside the core."""
        return self._touches(function, start, end) or any(start <= a and b <= end and usr in self.core.reaching and name not in core.closed
                                                          for a, b, usr, name in function.calls)

    def _if(self, cursor, function):
        start, end = span(cursor)
        if not self._touches(function, start, end):
            return
        tokens = list(cursor.get_tokens())
        if tokens[1].spelling != "(":
            return  # if constexpr: no run decides it
        close, semicolon, assigns, depth = None, None, None, 0
        for i, token in enumerate(tokens[1:], 1):
            if token.spelling in "([{":
                depth += 1
            elif token.spelling in ")]}":
                depth -= 1
                if depth == 0:
                    close = i
                    break
            elif depth == 1 and token.spelling == ";":
                semicolon, assigns = i, None
            elif depth == 1 and token.spelling == "=":
                assigns = i
        first = tokens[(semicolon or 1) + 1].extent.start.offset
        last = tokens[close - 1].extent.end.offset
        condition = words(tokens[(semicolon or 1) + 1:close])
        if assigns is not None:
            name = tokens[assigns - 1].spelling
            self._add(function, "never", start, f"if ({condition})", f"`if ({condition})` is never taken",
                      (last, last, "", f"; {name} && !::verify::mutant(@)"))
            return
        self._add(function, "always", start, f"if ({condition})", f"`if ({condition})` is always taken",
                  (first, last, "::verify::always(@, ", ")"))
        self._add(function, "never", start, f"if ({condition})", f"`if ({condition})` is never taken",
                  (first, last, "::verify::never(@, ", ")"))

    def _loop(self, cursor, function):
        start, end = span(cursor)
        if not self._touches(function, start, end):
            return
        tokens = list(cursor.get_tokens())
        head = words(tokens)
        if cursor.kind == Kind.DO_STMT:
            condition = list(cursor.get_children())[1]
            a, b = span(condition)
            text = squeeze(source(function.path)[a:b])
            self._add(function, "once", start, f"do while ({text})", f"`do ... while ({text})` ends after one round",
                      (a, b, "::verify::never(@, ", ")"))
            return
        if cursor.kind == Kind.FOR_STMT and (counted := re.match(r"for \([^;]*;([^;]*);([^)]+)", head)):
            condition, step = (set(re.findall(r"\w+", part)) for part in counted.groups())
            first, second = [t.extent.start.offset for t in tokens if t.spelling == ";"][:2]
            if condition & step or not self._reaches(function, first, second):
                return  # it counts, and does not look again
        body = [c for c in cursor.get_children()][-1]
        if body.kind != Kind.COMPOUND_STMT:
            self._leave_out(function, "once", cursor, "a loop without braces")
            return
        header = squeeze(source(function.path)[start:span(body)[0]])
        endless = header in ("for (;;)", "while (true)")
        leave = "break;"
        if endless and not breaks_out(body):
            result = function.cursor.result_type.spelling
            if result != "void" and function.cursor.kind not in (Kind.CONSTRUCTOR, Kind.DESTRUCTOR):
                leave = "return {};"
        if "noreturn" in source(function.path)[max(0, function.start - 60):function.start + 40]:
            self._leave_out(function, "once", cursor, "the function never returns")
            return
        again, in_a_switch = continues(body)
        if in_a_switch:
            self._leave_out(function, "once", cursor, "a `continue` in a switch")
            return
        at = span(body)[1] - 1
        self._add(function, "once", start, header, f"`{header}` ends after one round",
                  *((*span(c), f"{{ if (::verify::mutant(@)) {{ {leave} }} ", "; }") for c in again),
                  (at, at, "", f" if (::verify::mutant(@)) {{ {leave} }} "))

    def _neighbours(self, compound, function):
        children = [c for c in compound.get_children()]
        whole = [self._whole(c, function) for c in children]
        light = [squeeze(source(function.path)[a:b]) == "fence_light();" for a, b in whole]
        guards = [any(a <= g and h <= b for g, h in function.guards) and c.kind == Kind.DECL_STMT
                  for c, (a, b) in zip(children, whole)]
        steps = [(c, r) for c, r, l, g in zip(children, whole, light, guards) if not l]
        for i, (a, ra) in enumerate(steps[:-1]):
            b, rb = steps[i + 1]
            if not any(r in (ra, rb) for r, g in zip(whole, guards) if g):  # _lock sees to these
                if b.kind != Kind.RETURN_STMT:
                    self._pair(function, a, ra, b, rb)
                elif not light[-2]:  # _without_light_fence sees to that
                    self._return(function, a, ra, b, rb)
        for i, r in enumerate(whole):
            if guards[i]:
                self._lock(function, children[i], r, children[i + 1:], whole[i + 1:])
            if light[i] and 0 < i < len(children) - 1 and children[i + 1].kind == Kind.RETURN_STMT:
                value = span(next(children[i + 1].get_children()))
                self._without_light_fence(function, children[i - 1], whole[i - 1], value)
            in_front = [(c, w) for c, w in zip(children[:i], whole[:i]) if self._reaches(function, *w)]
            for start, end, usr, _ in function.calls:
                if usr in self._begins_with_fence and r[0] <= start and end <= r[1] and "{" not in source(function.path)[r[0]:start]:
                    if in_front:
                        self._without_light_fence(function, *in_front[-1], (start, end))
                    else:
                        self._leave_out(function, "fence", children[i], "no step in front of the light fence")

    def _without_light_fence(self, function, a, ra, value):
        """The load that stands behind the fence comes before the step `a`, which stands in front of it."""
        load = squeeze(source(function.path)[value[0]:value[1]])
        store = brief(words([t for t in a.get_tokens() if t.kind.name != "COMMENT"]))
        self._add(function, "fence", ra[0], f"fence_light(): none, {store} <> {brief(load)}", f"no light fence: `{brief(load, 70)}` comes before `{store}`",
                  (ra[0], ra[0], "", f"auto early_@ = ::verify::early(@, [&] {{ return {load}; }}); "),
                  (*value, "(early_@ ? *early_@ : ", ")"))

    def _lock(self, function, guard, r, behind, whole):
        """A lock that is not taken, or later."""
        text = words(t for t in guard.get_tokens() if t.kind.name != "COMMENT")
        got = re.fullmatch(r"(?:const )?std::lock_guard (\w+) ?\((.*)\);?", text)
        if got is None:
            self._leave_out(function, "lock", guard, "a guard of another form")
            return
        name, lock = f"held_{r[0]}", got[2]
        start = source(function.path).index("(", r[0]) + 1
        end = source(function.path).rindex(")", r[0], r[1])
        self._add(function, "lock", r[0], f"{got[1]}({lock}): none", f"`{lock}` is not locked",
                  (r[0], r[0], "", f"::verify::switched_lock {name}({lock}); {name}.open_for(@); "),
                  (start, end, "::verify::second(", f", {name})"))
        if len(behind) < 2 or behind[0].kind == Kind.RETURN_STMT:
            return  # the same as none
        first = brief(words(t for t in behind[0].get_tokens() if t.kind.name != "COMMENT"))
        self._add(function, "lock", r[0], f"{got[1]}({lock}) <> {first}", f"`{lock}` is locked behind `{first}`",
                  (r[0], r[0], "", f"{name}.open_for(@); "), (whole[0][1], whole[0][1], "", f" {name}.close_for(@);"))

    def _whole(self, cursor, function):
        """With the semicolon."""
        start, end = span(cursor)
        text = source(function.path)
        rest = re.compile(r"\s*;").match(text, end)
        if text[end - 1] != ";" and text[end - 1] != "}" and rest:
            end = rest.end()
        elif text[end - 1] == "}" and rest and cursor.kind not in (Kind.IF_STMT, Kind.WHILE_STMT, Kind.FOR_STMT,
                                                                   Kind.COMPOUND_STMT, Kind.CXX_FOR_RANGE_STMT,
                                                                   Kind.SWITCH_STMT, Kind.CXX_TRY_STMT):
            end = rest.end()
        return start, end

    def _writes(self, cursor):
        """An assignment to what is not a variable of the function."""
        if cursor.kind in (Kind.BINARY_OPERATOR, Kind.COMPOUND_ASSIGNMENT_OPERATOR):
            tokens = [t.spelling for t in cursor.get_tokens()]
            left = next(cursor.get_children(), None)
            return (any(t in ("=", "+=", "-=", "|=") for t in tokens) and left is not None
                    and left.kind in (Kind.MEMBER_REF_EXPR, Kind.UNARY_OPERATOR, Kind.ARRAY_SUBSCRIPT_EXPR))
        if cursor.kind == Kind.UNARY_OPERATOR:
            return any(c.kind == Kind.MEMBER_REF_EXPR for c in cursor.get_children())
        return False

    def _return(self, function, a, ra, b, rb):
        """What is returned is computed early."""
        value = next(b.get_children(), None)
        if value is None or not self._reaches(function, *rb) or not (self._reaches(function, *ra) or self._writes(a)) or needs(b, a):
            return
        text_a, text_b = (words([t for t in c.get_tokens() if t.kind.name != "COMMENT"]) for c in (a, b))
        if function.cursor.kind == Kind.FUNCTION_TEMPLATE or function.cursor.result_type.spelling in ("auto", "void"):
            self._leave_out(function, "exchange", b, "what is returned has a type that only an instance knows")
            return
        early = text_b.removeprefix("return ").removesuffix(";")
        self._add(function, "exchange", ra[0], f"{brief(text_a)} <> {brief(text_b)}", f"`{brief(text_b, 70)}` is computed before `{brief(text_a, 70)}`",
                  (ra[0], ra[0], "", f"auto early_@ = ::verify::early(@, [&] {{ return {early}; }}); "),
                  (*span(value), "(early_@ ? *early_@ : ", ")"))

    def _pair(self, function, a, ra, b, rb):
        flow = (Kind.RETURN_STMT, Kind.BREAK_STMT, Kind.CONTINUE_STMT, Kind.CASE_STMT, Kind.DEFAULT_STMT, Kind.NULL_STMT)
        if a.kind in flow or b.kind in flow:
            return
        touch_a, touch_b = self._reaches(function, *ra), self._reaches(function, *rb)
        if not ((touch_a and touch_b) or (touch_a and self._writes(b)) or (touch_b and self._writes(a))):
            return
        if needs(b, a):
            return
        tokens_b = [t for t in b.get_tokens() if t.kind.name != "COMMENT"]
        text_a = words([t for t in a.get_tokens() if t.kind.name != "COMMENT"])
        text_b = words(tokens_b)
        if not text_b.endswith(("}", ";")):
            text_b += ";"
        place = f"{brief(text_a)} <> {brief(text_b)}"
        what = f"`{brief(text_b, 70)}` comes before `{brief(text_a, 70)}`"
        if b.kind != Kind.DECL_STMT:
            self._add(function, "exchange", ra[0], place, what,
                      (ra[0], ra[0], "", f"if (::verify::mutant(@)) {{ {text_b} }} "),
                      (rb[0], rb[1], "if (!::verify::mutant(@)) { ", " }"))
            return
        variables = [d for d in b.get_children() if d.kind == Kind.VAR_DECL]
        if len(variables) != 1:
            self._leave_out(function, "exchange", b, "a declaration of several variables")
            return
        if stays_where_it_is(variables[0].type):
            self._leave_out(function, "exchange", b, "an object that cannot be made early")
            return
        # The value is computed early; the declaration stays where it is.
        declaration = re.fullmatch(r"(.*?\b" + re.escape(variables[0].spelling) + r") ?(=|\(|\{) ?(.*?)[)}]? ?;", text_b)
        value = [c for c in variables[0].get_children() if c.kind.is_expression() or c.kind == Kind.CALL_EXPR]
        if declaration is None or not value:
            self._leave_out(function, "exchange", b, "a declaration that cannot be computed early")
            return
        if declaration[2] == "=":
            start, end = span(value[-1])
            early = words([t for t in value[-1].get_tokens() if t.kind.name != "COMMENT"])
            self._add(function, "exchange", ra[0], place, what,
                      (ra[0], ra[0], "", f"auto early_@ = ::verify::early(@, [&] {{ return {early}; }}); "),
                      (start, end, "(early_@ ? *early_@ : ", ")"))
        else:
            type_of = re.sub(r"\bconst ", "", declaration[1][: -len(variables[0].spelling)]).strip()
            open_at = source(function.path).index(declaration[2], span(variables[0])[0])
            start, end = open_at + 1, span(variables[0])[1] - 1
            early = f"{type_of}({declaration[3]})"
            self._add(function, "exchange", ra[0], place, what,
                      (ra[0], ra[0], "", f"auto early_@ = ::verify::early(@, [&] {{ return {early}; }}); "),
                      (start, end, f"early_@ ? *early_@ : {type_of}(", ")"))


def breaks_out(body):
    """Whether a loop with this body may end by a break of its own: not by one of a switch, or of a loop, inside."""
    inner = (Kind.SWITCH_STMT, Kind.WHILE_STMT, Kind.DO_STMT, Kind.FOR_STMT, Kind.CXX_FOR_RANGE_STMT, Kind.LAMBDA_EXPR)
    return any(c.kind == Kind.BREAK_STMT or (c.kind not in inner and breaks_out(c)) for c in body.get_children())


def needs(b, a):
    """Whether statement b uses what a declares."""
    declared = {d.spelling for d in a.get_children() if d.kind in (Kind.VAR_DECL, Kind.TYPE_ALIAS_DECL)} if a.kind == Kind.DECL_STMT else set()
    return bool(declared & {t.spelling for t in b.get_tokens()})


def continues(body):
    """The `continue`s of a loop with this body; and whether one of them stands in a switch, which a break would leave instead."""
    inner = (Kind.WHILE_STMT, Kind.DO_STMT, Kind.FOR_STMT, Kind.CXX_FOR_RANGE_STMT, Kind.LAMBDA_EXPR)
    found, in_a_switch = [], False
    for child in body.get_children():
        if child.kind == Kind.CONTINUE_STMT:
            found.append(child)
        elif child.kind not in inner:
            more, nested = continues(child)
            found += more
            in_a_switch |= nested or (bool(more) and child.kind == Kind.SWITCH_STMT)
    return found, in_a_switch


def begins_with_fence(function):
    body = next((c for c in function.cursor.get_children() if c.kind == Kind.COMPOUND_STMT), None)
    first = next(body.get_children(), None) if body is not None else None
    return first is not None and squeeze(source(function.path)[slice(*span(first))]) == "fence_light()"


def stays_where_it_is(type_of):
    """Whether objects of this type cannot be copied, or do something at their end."""
    declaration = type_of.get_canonical().get_declaration()
    return any(c.kind == Kind.DESTRUCTOR or (c.kind == Kind.CONSTRUCTOR and c.is_copy_constructor() and c.is_deleted_method())
               for c in declaration.get_children())


def words(tokens):
    """Tokens as people write them."""
    text = ""
    previous = ""
    for token in tokens:
        s = token.spelling
        if text and s not in (")", "]", ",", ";", ".", "->", "::", "++", "--") and \
                previous not in ("(", "[", ".", "->", "::", "!", "~") and not (s in ("(", "[") and (previous[-1:].isalnum() or previous[-1:] in "_>)") and previous not in ("if", "while", "for", "return")):
            text += " "
        text += s
        previous = s
    return text


def brief(text, most=50):
    text = squeeze(text)
    return text if len(text) <= most else text[:most - 3] + "..."


def short(path):
    return path.removeprefix("include/dozer/detail/").removeprefix("include/dozer/").removeprefix("src/")


def switched(path, mutants):
    """The file with all of its mutants behind switches. Lines stay where they are."""
    text = source(path)
    opens, closes = collections.defaultdict(list), collections.defaultdict(list)
    for sequence, (start, end, before, behind) in enumerate(e for m in mutants for e in m.edits):
        if start == end:
            opens[start].append((0, 0, sequence, behind))
        else:
            opens[start].append((1, -end, sequence, before))
            closes[end].append((-start, -sequence, behind))
    out, last = [], 0
    for at in sorted(set(opens) | set(closes)):
        out.append(text[last:at])
        out += [c[-1] for c in sorted(closes.get(at, []))]
        out += [o[-1] for o in sorted(opens.get(at, []))]
        last = at
    out.append(text[last:])
    return "".join(out)
