"""Makes the small fonts of src/fonts from the fonts of npm packages: the characters of the xiangqi
board, and chess pieces, suits and dice.

The packages have their fonts in parts by code points; this takes the characters from the parts and
merges them. The results have names of their own, as changed fonts must.
"""

import tempfile
from pathlib import Path

from fontTools import merge, subset
from fontTools.ttLib import TTFont

ROOT = Path(__file__).resolve().parent.parent
LICENSE = "This Font Software is licensed under the SIL Open Font License, Version 1.1."
DROPPED = ("vhea", "vmtx", "VORG", "GPOS", "GSUB", "GDEF", "BASE", "gasp", "STAT", "MATH")
XIANGQI = "帥仕相傌俥炮兵將士象馬車砲卒楚河漢界一二三四五六七八九"
SYMBOLS = "♔♕♖♗♘♙♚♛♜♝♞♟♠♡♢♣♤♥♦♧⚀⚁⚂⚃⚄⚅"
# Package, weight, characters, name and file of each font.
FONTS = (
    ("lxgw-wenkai-tc", 700, XIANGQI, "Sandboard Pieces", "pieces.woff2"),
    ("noto-sans-symbols-2", 400, SYMBOLS, "Sandboard Symbols", "symbols.woff2"),
)


def take(path, wanted):
    """Returns the part as a font with the wanted characters only; None: it has none of them."""
    font = TTFont(path)
    found = wanted & set(font.getBestCmap())
    if not found:
        return None
    options = subset.Options(layout_features=[], hinting=False, name_IDs=["*"])
    subsetter = subset.Subsetter(options)
    subsetter.populate(unicodes=found)
    subsetter.subset(font)
    font.flavor = None
    for table in DROPPED:
        if table in font:
            del font[table]
    wanted -= found
    return font


def make(package, weight, characters, name, file):
    """Makes one font."""
    wanted = set(map(ord, characters))
    folder_of_parts = ROOT / "node_modules/@fontsource" / package / "files"
    with tempfile.TemporaryDirectory() as folder:
        parts = []
        for path in sorted(folder_of_parts.glob(f"*-{weight}-normal.woff2")):
            font = take(path, wanted)
            if font is not None:
                parts.append(f"{folder}/{len(parts)}.ttf")
                font.save(parts[-1])
        if wanted:
            raise SystemExit(f"not in {package}: {''.join(map(chr, wanted))}")
        merged = merge.Merger().merge(parts)
    style = "Bold" if weight == 700 else "Regular"
    full = f"{name} {style}"
    texts = {1: name, 2: style, 3: full, 4: full, 6: full.replace(" ", ""), 13: LICENSE}
    for number, text in texts.items():
        merged["name"].setName(text, number, 3, 1, 0x409)
    merged["head"].created = merged["head"].modified = 0
    merged.recalcTimestamp = False
    merged.flavor = "woff2"
    target = ROOT / "src/fonts" / file
    merged.save(target)
    print(f"{target.name}: {target.stat().st_size} bytes")


if __name__ == "__main__":
    for font in FONTS:
        make(*font)
