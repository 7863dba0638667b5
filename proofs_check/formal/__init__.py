"""The formal library in Coq (`theory/formal`), and certificates that Coq checks against it."""
