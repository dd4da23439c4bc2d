import type { Part } from "../conversation/conversation.ts";
import type { ReplyEvent } from "../conversation/reply.ts";
import { urlOfSource } from "../media.ts";

/** What an answer contains besides its text. */
type Media = Pick<Extract<ReplyEvent, { type: "media" }>, "kind" | "source">;

/** The media of a part of an answer; null for other parts, and for files that only their provider knows. */
export function mediaOf(part: Part): Media | null {
  switch (part.type) {
    case "image":
    case "audio":
    case "video":
    case "document": {
      const { type: kind, source } = part;
      return source.kind === "base64" || source.kind === "url" ? { kind, source } : null;
    }
    default:
      return null;
  }
}

/**
 * Media as Markdown, for formats whose answers have no place for it: images show, with a data URI where they have no address;
 * anything else is linked. Empty for audio without an address: its transcript is in the text.
 */
export function mediaText({ kind, source }: Media): string {
  const url = urlOfSource(source);
  if (kind === "image") return `![image](${url})`;
  return kind === "audio" && source.kind === "base64" ? "" : `[${kind}](${url})`;
}
