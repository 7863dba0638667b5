"""A page taken apart: its elements, what they say, where links lead; nothing else is trusted about it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser

VOID = {"meta", "br", "link", "img", "input", "hr", "wbr", "base", "embed"}


@dataclass
class Node:
    """An element with its attributes; in it elements and text, in their order."""

    tag: str
    attributes: dict[str, str]
    content: list[Node | str] = field(default_factory=list)

    def walk(self) -> Iterator[Node]:
        """This element and all in it."""
        yield self
        for part in self.content:
            if isinstance(part, Node):
                yield from part.walk()

    def all(self, tag: str, **attributes: str) -> list[Node]:
        """The elements of a kind, `id=...` and so on; `cls`: the class."""
        wanted = {key.replace("cls", "class"): value for key, value in attributes.items()}
        return [node for node in self.walk() if node.tag == tag and wanted.items() <= node.attributes.items()]

    def by_id(self, name: str) -> Node:
        """The element with this id.  ValueError if there is none, or more."""
        (found,) = (node for node in self.walk() if node.attributes.get("id") == name)
        return found

    @property
    def text(self) -> str:
        """All text in it, spaces collapsed."""
        return " ".join("".join(self._texts()).split())

    def _texts(self) -> Iterator[str]:
        for part in self.content:
            yield from [part] if isinstance(part, str) else part._texts()


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root = Node("", {})
        self.open = [self.root]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = [name for name, _ in attrs]
        assert len(set(names)) == len(names), f"<{tag}> has an attribute twice"
        node = Node(tag, {name: value or "" for name, value in attrs})
        self.open[-1].content.append(node)
        if tag not in VOID:
            self.open.append(node)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        assert tag == self.open[-1].tag, f"</{tag}> closes <{self.open[-1].tag}>"
        self.open.pop()

    def handle_data(self, data: str) -> None:
        self.open[-1].content.append(data)


def parse(document: bytes) -> Node:
    """The page's elements.  AssertionError where tags do not match."""
    reader = _Reader()
    reader.feed(document.decode("utf-8"))
    reader.close()
    assert reader.open == [reader.root], "elements are left open"
    return reader.root


def faults(root: Node) -> list[str]:
    """What a page must not have: ids twice, links to nowhere or to elsewhere, handlers, further scripts."""
    ids = [node.attributes["id"] for node in root.walk() if "id" in node.attributes]
    found = [f"the id {name} twice" for name in sorted(set(ids)) if ids.count(name) > 1]
    for node in root.walk():
        for key, value in node.attributes.items():
            if key in {"aria-labelledby", "aria-describedby", "for"}:
                found += [f"{key} {name}: no such id" for name in value.split() if name not in ids]
            elif key in {"href", "src", "action", "data", "xlink:href"}:
                picture = node.tag == "image" and value.startswith("data:image/png;base64,")
                if not picture and not (value.startswith("#") and value[1:] in ids):
                    found.append(f"{key} {value}: leads nowhere")
            elif key.startswith("on"):
                found.append(f"a handler, {key}")
            elif "url(" in value and not value.startswith("url(#"):
                found.append(f"{key} {value}: from elsewhere")
    found += [f"{len(root.all(tag))} <{tag}>" for tag in ("script", "style") if len(root.all(tag)) != 1]
    return found + [f"<{tag}>" for tag in ("iframe", "object", "embed", "link", "base") if root.all(tag)]
