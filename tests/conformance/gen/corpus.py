"""Writes case files: a kernel, what it is given and what it must give, in one `.ptx`."""

import random
from pathlib import Path

from . import number

LANGUAGE = ("8.7", "sm_90")  # version and target, where an instruction needs no other
# One and a half warps, so that partial ones are tried everywhere.
LANES = 48

WIDTHS = {"pred": 32, "tf32": 32, "e4m3": 8, "e5m2": 8, "bf16": 16}


def width(type_):
    """Bits of a scalar or packed type."""
    if type_ in WIDTHS:
        return WIDTHS[type_]
    base, _, count = type_.partition("x")
    if count:
        return width(base) * int(count)
    return int(type_[1:])


class Corpus:
    """All files, by path. Nothing is written before everything is known."""

    def __init__(self):
        self.files = {}

    def add(self, path, text):
        assert path not in self.files, path
        self.files[path] = text

    def write(self, root):
        kept = set()
        for path, text in sorted(self.files.items()):
            target = Path(root) / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text)
            kept.add(target)
        for old in Path(root).rglob("*.ptx"):
            if old not in kept:
                old.unlink()

    def differences(self, root):
        """Paths whose committed text is not what we would write."""
        found = {str(p.relative_to(root)) for p in Path(root).rglob("*.ptx")}
        wrong = found ^ set(self.files)
        wrong |= {p for p in found & set(self.files) if (Path(root) / p).read_text() != self.files[p]}
        return sorted(wrong)


class Case:
    """One kernel named `test`, whose parameters are the buffers in order."""

    def __init__(self, title, block=LANES, grid=1, shared=0, module="", language=LANGUAGE):
        self.title, self.block, self.grid, self.shared, self.module = title, block, grid, shared, module
        self.language = language
        self.buffers, self.regs, self.body = [], [], []

    def input(self, name, type_, values):
        self.buffers.append(("in", name, type_, list(values), ""))

    def output(self, name, type_, values, note="", within=""):
        self.buffers.append(("out", name, type_, list(values), within))
        if note:
            self.body.append(f"// {name}: {note}")

    def text(self):
        lines = [f"// {line}".rstrip() for line in self.title.split("\n")]
        launch = f"// launch grid={self.grid} block={self.block}"
        lines += ["//", launch + (f" shared={self.shared}" if self.shared else "")]
        for kind, name, type_, values, within in self.buffers:
            bits = width(type_)
            if bits == 128:
                bits, values = 64, [word for v in values for word in (v & (1 << 64) - 1, v >> 64)]
            # Only a tolerance needs to know what the bits mean.
            shown = f"{type_} within {within}" if within else f"b{bits}"
            lines.append(f"// {kind} {name} {shown}")
            per = 256 // bits
            for at in range(0, len(values), per):
                row = " ".join(f"{v & ((1 << bits) - 1):0{bits // 4}x}" for v in values[at : at + per])
                lines.append(f"//   {row}")
        # An output with the name of an input is what that buffer must hold in the end.
        names = dict.fromkeys(b[1] for b in self.buffers)
        params = ",\n    ".join(f".param .u64 {name}" for name in names)
        version, target = self.language
        lines += [f".version {version}", f".target {target}", ".address_size 64", self.module, f".visible .entry test(\n    {params}\n)", "{"]
        lines += [f"    {line}" for line in self.regs + self.body]
        lines += ["    ret;", "}", ""]
        return "\n".join(lines)


def lanes(corpus, path, title, operands, variants, within="", language=LANGUAGE):
    """A case in which each thread applies every variant to its own operands.

    `operands` maps a name to (type, values); a variant is (text, result type, function of the operand bits).
    In the text `{d}` is the result and each operand its name in braces.
    """
    count = len(next(iter(operands.values()))[1])
    case = Case(title, block=count, language=language)
    for name, (type_, values) in operands.items():
        assert len(values) == count, path
        case.input(name, type_, values)
    case.regs.append(".reg .b32 %i;")
    case.regs.append(".reg .b64 %p;")
    case.body += ["mov.u32 %i, %tid.x;"]
    for name, (type_, _) in operands.items():
        case.regs.append(f".reg .{register(type_)} %{name};")
        case.body += address(name, type_) + load(f"%{name}", type_)
    names = {name: f"%{name}" for name in operands}
    rows = list(zip(*(values for _, values in operands.values())))
    for index, (text, type_, function) in enumerate(variants):
        out, tolerance = f"d{index}", within
        if isinstance(type_, tuple):
            type_, tolerance = type_
        case.regs.append(f".reg .{register(type_)} %{out};")
        note = text.split("\n")[0].split(" ")[0]
        case.output(out, type_, [function(*row) for row in rows], note, tolerance)
        case.body += [line.strip() for line in text.format(d=f"%{out}", **names).split("\n")]
        case.body += address(out, type_) + store(f"%{out}", type_)
    corpus.add(path, case.text())


def register(type_):
    return "pred" if type_ == "pred" else f"b{max(width(type_), 16)}"


def address(name, type_):
    return [f"ld.param.u64 %p, [{name}];", f"mad.wide.u32 %p, %i, {width(type_) // 8}, %p;"]


def load(reg, type_):
    if type_ == "pred":
        return ["{ .reg .b32 %t; ld.global.b32 %t, [%p]; setp.ne.u32 " + reg + ", %t, 0; }"]
    kind = type_ if type_ in ("u8", "s8") else f"b{width(type_)}"
    return [f"ld.global.{kind} {reg}, [%p];"]


def store(reg, type_):
    if type_ == "pred":
        return ["{ .reg .b32 %t; selp.u32 %t, 1, 0, " + reg + "; st.global.b32 [%p], %t; }"]
    return [f"st.global.b{width(type_)} [%p], {reg};"]


# ---- operands


def rng(path):
    return random.Random(path)


INT_SPECIAL = (0, 1, 2, 3, 5, 7, 31, 32, 33, 63, 64, 100, 127, 128, 255, 256)


def integers(random_, bits, count=LANES):
    """Whole numbers of `bits` bits, many of them near the edges."""
    mask = (1 << bits) - 1
    edges = [v & mask for v in INT_SPECIAL]
    edges += [mask, mask - 1, mask >> 1, (mask >> 1) + 1, (mask >> 1) + 2, -7 & mask, -128 & mask]
    values = []
    for _ in range(count):
        kind = random_.randrange(4)
        if kind == 0:
            values.append(random_.choice(edges))
        elif kind == 1:
            values.append(random_.getrandbits(bits) >> random_.randrange(bits))
        else:
            values.append(random_.getrandbits(bits))
    return values


def specials(f):
    """The values where floating point goes wrong."""
    one = f.bias << f.mantissa
    magnitudes = [0, 1, (1 << f.mantissa) - 1, 1 << f.mantissa, one - 1, one, one + 1, one + (1 << f.mantissa - 1)]
    magnitudes += [one + (1 << f.mantissa), f.largest]
    if not f.finite_only:
        magnitudes += [f.infinity]
    values = magnitudes + [m | f.sign for m in magnitudes]
    quiet = f.infinity | 1 << f.mantissa - 1 if not f.finite_only else f.nan
    return values + [quiet]


def floats(random_, f, count=LANES, wild=0.5):
    """Numbers of a format: specials, any bits, and pairs close enough in exponent to interact."""
    values = []
    special = specials(f)
    top = f.width - 1
    for _ in range(count):
        kind = random_.random()
        if kind < 0.3:
            values.append(random_.choice(special))
        elif kind < 0.3 + wild * 0.3:
            bits = random_.getrandbits(f.width)
            values.append(random_.choice(special) if f.is_nan(bits) else bits)
        else:
            exponent = f.bias + random_.randrange(-3, 4)
            mantissa = random_.getrandbits(f.mantissa) & -(1 << random_.randrange(f.mantissa))
            values.append(random_.getrandbits(1) << top | exponent << f.mantissa | mantissa)
    return values


def signed(value, bits):
    return value - (1 << bits) if value >> (bits - 1) & 1 else value


def packed(function, bits):
    """Applies a function of 16-bit lanes to both halves of packed operands."""

    def both(*operands):
        low = function(*(v & 0xFFFF for v in operands))
        high = function(*(v >> 16 for v in operands))
        return (high & 0xFFFF) << 16 | (low & 0xFFFF)

    assert bits == 16
    return both


def pair(values, random_):
    """Packs 16-bit values two by two with a shuffled copy of themselves."""
    other = values[:]
    random_.shuffle(other)
    return [h << 16 | l for l, h in zip(values, other)]
