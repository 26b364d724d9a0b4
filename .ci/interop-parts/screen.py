"""A terminal: as much of ECMA-48 as live views write, on lines that are broken anew when the width changes."""

import re

from common import check

CONTROL = re.compile(r"\x1b\[(\??)([0-9;]*)([A-Za-z])")


class Screen:
    """What a terminal shows, and what has left it at the top."""

    def __init__(self, columns, rows):
        self.columns, self.rows = columns, rows
        # Each row: its text, and whether it goes on in the next because it was too long.
        self.grid = [["", False]]
        self.row = self.column = self.top = 0
        self.hidden = False
        self.pending = ""

    def resize(self, columns, rows):
        """Breaks its lines anew."""
        lines, line, at = [], "", 0
        for n, (text, goes_on) in enumerate(self.grid):
            if n == self.row:
                at = len(lines)
            line += text
            if not goes_on:
                lines.append(line)
                line = ""
        check(self.column == 0 and lines[at] == "", "the cursor is not on a line of its own between two screens")
        self.grid, row = [], 0
        for n, text in enumerate(lines):
            if n == at:
                row = len(self.grid)
            pieces = [text[i : i + columns] for i in range(0, len(text), columns)] or [""]
            self.grid += [[piece, piece is not pieces[-1]] for piece in pieces]
        self.columns, self.rows, self.row = columns, rows, row
        self.top = max(0, row + 1 - rows)

    def feed(self, text):
        """Takes what is written to it."""
        text, self.pending = self.pending + text, ""
        at = 0
        while at < len(text):
            char = text[at]
            if char == "\x1b":
                found = CONTROL.match(text, at)
                if not found and len(text) - at < 12:
                    self.pending = text[at:]
                    return
                check(found, f"a sequence that no live view writes: {text[at:at + 12]!r}")
                self.control(*found.groups())
                at = found.end()
                continue
            if char == "\n":
                self.down()
            elif char == "\r":
                self.column = 0
            else:
                check(char.isprintable(), f"{char!r} is written to a terminal")
                self.put(char)
            at += 1

    def down(self):
        self.row += 1
        if self.row == len(self.grid):
            self.grid.append(["", False])
        self.top = max(self.top, self.row + 1 - self.rows)

    def put(self, char):
        if self.column == self.columns:
            self.grid[self.row][1] = True
            self.down()
            self.column = 0
        text = self.grid[self.row][0].ljust(self.column)
        self.grid[self.row][0] = text[: self.column] + char + text[self.column + 1 :]
        self.column += 1

    def control(self, private, numbers, letter):
        if letter == "A" and not private:
            # What has left at the top can't be reached.
            self.row = max(self.top, self.row - int(numbers or 1))
        elif letter == "K" and numbers in ("", "0"):
            self.grid[self.row] = [self.grid[self.row][0][: self.column], False]
        elif letter == "J" and numbers in ("", "0"):
            self.grid[self.row] = [self.grid[self.row][0][: self.column], False]
            del self.grid[self.row + 1 :]
        elif private and numbers == "25" and letter in "hl":
            self.hidden = letter == "l"
        else:
            check(letter == "m", f"a sequence that no live view writes: {private}{numbers}{letter}")

    def lines(self):
        """All that was ever written and not written over, without empty lines; what was broken is one line."""
        joined = "".join(text if goes_on else text + "\n" for text, goes_on in self.grid)
        return [line.rstrip() for line in joined.split("\n") if line.strip()]

    def shown(self):
        """What is on it."""
        return [text.rstrip() for text, _ in self.grid[self.top :]]
