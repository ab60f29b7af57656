"""Pages of reference made from the sources: the C interface from the comments of capstan.h, the Python package from its
docstrings, the commands from the manual pages that the tool writes."""

import ast
import pathlib
import re
import textwrap

COMMENT = re.compile(r"/\*(.*?)\*/", re.S)
RULE = re.compile(r"^/\* -{20,} (.+)")


def escape(text):
    """Text without what Markdown would take for its own."""
    return re.sub(r"([][*_<>|$])", r"\\\1", text)


def comment_text(raw):
    """The text of a C comment without its frame: a list of lines."""
    lines = [re.sub(r"^ ?\* ?", "", line) if i else line.strip() for i, line in enumerate(raw.split("\n"))]
    return [line.rstrip() for line in lines]


def prose(lines, language="c"):
    """Markdown of the lines of a comment: paragraphs; indented lines are code, or a list of terms as they stand."""
    out, code = [], []

    def finish():
        if code:
            text = textwrap.dedent("\n".join(code)).strip("\n")
            terms = re.match(r"[A-Z][a-z]+  |[^;(]*$", text.split("\n")[0]) and not text.startswith("import ")
            out.extend(["", f"```{'text' if terms else language}", text, "```", ""])
            code.clear()

    for line in lines:
        # Code is indented; so are lists of terms, and columns that are aligned count as such.
        if line.strip() and (line.startswith("  ") or re.search(r"\S {3,}\S", line)) or code and not line.strip():
            code.append(line)
        else:
            finish()
            out.append(escape(line))
    finish()
    # Names of the interface are set as code.
    text = "\n".join(out).strip("\n")
    parts = re.split(r"(```.*?```)", text, flags=re.S)
    for i in range(0, len(parts), 2):
        parts[i] = re.sub(r"(?<![`\w])((?:cps|CPS)(?:\\_|\w)*\w(?:\(\))?)", lambda m: "`" + m[1].replace("\\", "") + "`", parts[i])
        parts[i] = re.sub(r"`([^`]*)`", lambda m: "`" + m[1].replace("\\", "") + "`", parts[i])
    return "".join(parts)


def blocks(header):
    """The header cut at empty lines outside of comments and braces: (comment or None, code) for each block."""
    block, depth, inside = [], 0, False
    for line in header.split("\n") + [""]:
        if not line.strip() and depth == 0 and not inside:
            if block:
                yield "\n".join(block)
            block = []
            continue
        block.append(line)
        bare = line
        if inside:
            if "*/" not in bare:
                continue
            bare, inside = bare.split("*/", 1)[1], False
        bare = re.sub(r"/\*.*?\*/", "", bare)
        if "/*" in bare:
            bare, inside = bare.split("/*", 1)[0], True
        depth += bare.count("{") - bare.count("}")


def first_name(code):
    """What a declaration is called: the function, the type or the constants."""
    bare = COMMENT.sub("", code)
    for pattern in (r"CPS_API[^;(]*?\b(cps_\w+)\(", r"typedef (?:struct|enum) (\w+)", r"struct (\w+) \{", r"#define (CPS_\w+)", r"\b(CPS_\w+)\b"):
        if found := re.search(pattern, bare):
            return found[1]
    return None


def c_page(header):
    """The page about capstan.h."""
    opening, body = header.split("#ifndef CAPSTAN_H", 1)
    lines = comment_text(COMMENT.search(opening)[1])
    out = ["# C interface", "", "<!-- made from include/capstan.h -->", "", prose(lines[1:]).replace("Licence: Apache-2.0", "").strip(), "",
           "A program is compiled with `cc program.c $(pkg-config --cflags --libs capstan)`; [examples](../examples) has some.", ""]
    body = re.sub(r"#ifdef __cplusplus.*?#endif\n|#if defined\(_WIN32\).*?#endif\n", "", body, flags=re.S)
    body = body.replace("#include <stddef.h>\n", "").replace("#define CAPSTAN_H\n", "").replace("#endif /* CAPSTAN_H */", "").replace("#endif", "")
    seen = set()
    out += ["## Version and memory", ""]
    for block in blocks(body):
        if rule := RULE.match(block):
            title, rest = rule[1], block[rule.end():]
            title = title.replace("*/", "").strip()
            text, _, code = rest.partition("*/") if "*/" not in rule[0] else ("", "", rest)
            text = comment_text(text.lstrip("\n") and "\n" + text.lstrip("\n"))
            # A title that goes on in the next line of the comment.
            if title.count("(") > title.count(")"):
                words = [line for line in text if line.strip()]
                title += " " + words[0]
                text = text[text.index(words[0]) + 1:]
            out += ["## " + title[0].upper() + title[1:], "", prose(text).strip(), ""]
            block = code.strip("\n")
            if not block:
                continue
        lead = []
        while found := re.match(r"\s*/\*(.*?)\*/[ \t]*\n", block, re.S):
            lead += comment_text(found[1])
            block = block[found.end():]
        if not block.strip():
            out += [prose(lead), ""]
            continue
        name = first_name(block)
        if name and name not in seen:
            seen.add(name)
            out += [f"### {name}", ""]
        code = re.sub(r"^CPS_API ", "", block.strip("\n"), flags=re.M)
        out += [prose(lead), "", "```c", code, "```", ""]
    return "\n".join(out)


def signature(node):
    """A function as it is called: name(arguments) -> type."""
    args = ast.unparse(node.args)
    args = re.sub(r"^(self|cls)(, )?", "", args)
    back = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    return f"{node.name}({args}){back}"


def describe(node):
    """The docstring as Markdown: indented lines are code."""
    text = ast.get_docstring(node, clean=False) or ""
    base = node.body[0].col_offset if text else 0
    text = re.sub(rf"^ {{0,{base}}}", "", text, flags=re.M).strip() if base else text.strip()
    return prose(text.split("\n"), "python") if text else ""


def python_page(package):
    """The page about the Python package: every public class, method and function that has something to say."""
    out = ["# Python interface", "", "<!-- made from the docstrings in python/capstan -->", "",
           describe(ast.parse((package / "__init__.py").read_text())), ""]
    for file in sorted(package.glob("*.py")):
        if file.name == "__init__.py":
            continue
        tree = ast.parse(file.read_text())
        out += [f"## {file.stem}", "", describe(tree), ""]
        for node, after in zip(tree.body, [*tree.body[1:], None]):
            if isinstance(node, ast.Assign) and isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant):
                out += [f"### {ast.unparse(node.targets[0])}", "", after.value.value, ""]
            elif isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
                out += [f"### {node.name}", "", "```python", signature(node), "```", "", describe(node), ""]
            elif isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                out += [f"### {node.name}", "", describe(node), ""]
                fields = [ast.unparse(n) for n in node.body if isinstance(n, ast.AnnAssign)]
                if fields:
                    out += ["```python", *fields, "```", ""]
                for item in node.body:
                    if isinstance(item, ast.FunctionDef) and (not item.name.startswith("_") or item.name in ("__init__", "__getitem__", "__call__")):
                        kind = {ast.unparse(d) for d in item.decorator_list}
                        text = signature(item) if "property" not in kind else item.name + (f": {ast.unparse(item.returns)}" if item.returns else "")
                        text = re.sub(r"^__init__(\(.*\))( -> None)?$", rf"{node.name}\1", text)
                        text = re.sub(r"^__getitem__\((\w+)[^)]*\)", r"[\1]", text)
                        text = re.sub(r"^__call__", "", text)
                        out += ["```python", text, "```", "", describe(item), ""]
    return "\n".join(out)


def unroff(text):
    """Text of a manual page without its escapes."""
    return text.replace("\\-", "-").replace("\\(aq", "'").replace("\\e", "\\").replace("\\&", "")


def command_page(folder):
    """The page about the commands, from docs/man/capstan-*.1."""
    out = ["# Commands", "", "<!-- made from docs/man -->", "",
           "The same text is in `capstan help COMMAND` and, once installed, in `man capstan-COMMAND`.", ""]
    for file in sorted(folder.glob("capstan-*.1")):
        out += [f"## capstan {file.stem.split('-', 1)[1]}", ""]
        section, lines, i = "", file.read_text().split("\n"), 0
        listing = False
        while i < len(lines):
            line = unroff(lines[i])
            if line.startswith(".SH "):
                section = line[4:]
                if section not in ("NAME", "SYNOPSIS", "SEE ALSO"):
                    out += ["", f"**{section.capitalize()}**", ""]
            elif section == "SEE ALSO" or line.startswith((".\\\"", ".TH", ".PP")):
                if line.startswith(".PP"):
                    out.append("")
            elif section == "NAME":
                out += [line.split(" - ", 1)[-1].capitalize() + ".", ""]
            elif line == ".nf":
                out.append("```text")
                listing = True
            elif line == ".fi":
                out += ["```", ""]
                listing = False
            elif line == ".TP":
                term = unroff(lines[i + 1]).removeprefix(".B ")
                out.append(f"- `{term}`: {escape(unroff(lines[i + 2]))}")
                i += 2
            elif line:
                out.append(line if listing else escape(line))
            i += 1
        out.append("")
    return "\n".join(out)


if __name__ == "__main__":
    import sys

    root = pathlib.Path(sys.argv[1])
    print(c_page((root / "include/capstan.h").read_text()))
