"""The mates file: what a source's format cannot say, laid over what it says. See docs/mates-file.md."""

from cadbridge.readers.mates_file.document import MatesDocument, document_of, load_document
from cadbridge.readers.mates_file.faces import yaml_for_face
from cadbridge.readers.mates_file.overlay import overlay

__all__ = ["MatesDocument", "document_of", "load_document", "overlay", "yaml_for_face"]
