"""Makes src/fonts/pieces.woff2: the characters of the xiangqi board from LXGW WenKai TC Bold.

The npm package has the font in about a hundred parts by code points; this takes the characters
from the parts and merges them. The result has a name of its own, as a changed font must.
"""

import tempfile
from pathlib import Path

from fontTools import merge, subset
from fontTools.ttLib import TTFont

CHARACTERS = "帥仕相傌俥炮兵將士象馬車砲卒楚河漢界一二三四五六七八九"
ROOT = Path(__file__).resolve().parent.parent
PARTS = ROOT / "node_modules/@fontsource/lxgw-wenkai-tc/files"
TARGET = ROOT / "src/fonts/pieces.woff2"
LICENSE = "This Font Software is licensed under the SIL Open Font License, Version 1.1."
DROPPED = ("vhea", "vmtx", "VORG", "GPOS", "GSUB", "GDEF", "BASE", "gasp", "STAT")


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


def main():
    wanted = set(map(ord, CHARACTERS))
    with tempfile.TemporaryDirectory() as folder:
        parts = []
        for path in sorted(PARTS.glob("*-700-normal.woff2")):
            font = take(path, wanted)
            if font is not None:
                parts.append(f"{folder}/{len(parts)}.ttf")
                font.save(parts[-1])
        if wanted:
            raise SystemExit(f"not in the font: {''.join(map(chr, wanted))}")
        merged = merge.Merger().merge(parts)
    names = {1: "Sandboard Pieces", 2: "Bold", 3: "Sandboard Pieces Bold"}
    names |= {4: "Sandboard Pieces Bold", 6: "SandboardPieces-Bold", 13: LICENSE}
    for name, text in names.items():
        merged["name"].setName(text, name, 3, 1, 0x409)
    merged["head"].created = merged["head"].modified = 0
    merged.recalcTimestamp = False
    merged.flavor = "woff2"
    merged.save(TARGET)
    print(f"{TARGET}: {TARGET.stat().st_size} bytes")


if __name__ == "__main__":
    main()
