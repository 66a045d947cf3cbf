"""A matrix as an image, one pixel a number, for pictures with too many numbers for a table."""

import base64
import struct
import zlib

import numpy as np
from numpy.typing import ArrayLike

# The hues of a table's cells (panel.css), the blue so dark that without colour, too, it is darker than any orange. On a
# dark page the style sheet turns light and dark round.
BELOW, ABOVE = (28, 68, 136), (214, 122, 48)
LEVELS = 127


def png(values: ArrayLike, most: float, effort: int = 9) -> str:
    """The matrix as the address of a PNG image: blue below zero, orange above, clear at zero, strongest at `most`.

    values (rows, columns), most > 0. The image shows the page through it, so it suits a light and a dark one. A large
    one in a picture that plays takes a low effort: level 9 needs twenty times as long as 3 and saves a tenth.
    Source of the format: PNG (W3C 2003), sections 5 and 11, with a palette.
    """
    values = np.asarray(values, float)                                                       # (rows, columns)
    level = np.rint(LEVELS * np.clip(values / most, -1, 1)).astype(np.int16) + LEVELS        # 0 … 2 LEVELS
    rows = np.pad(level.astype(np.uint8), ((0, 0), (1, 0)))                                  # filter 0 before each row
    palette = bytes(BELOW) * LEVELS + bytes(ABOVE) * (LEVELS + 1)
    clear = bytes(round(abs(k) * 255 / LEVELS) for k in range(-LEVELS, LEVELS + 1))
    header = struct.pack(">IIBBBBB", values.shape[1], values.shape[0], 8, 3, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"PLTE", palette), (b"tRNS", clear),
              (b"IDAT", zlib.compress(rows.tobytes(), effort)), (b"IEND", b""))
    data = b"\x89PNG\r\n\x1a\n" + b"".join(chunk(*c) for c in chunks)
    return "data:image/png;base64," + base64.b64encode(data).decode()


def chunk(kind: bytes, data: bytes) -> bytes:
    """One part of a PNG file: its length, its kind, its data, and the checksum of the last two."""
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
