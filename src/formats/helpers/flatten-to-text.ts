import type { Dropped } from "../conversation/codec.ts";
import type { Conversation, DialogTurn, Part } from "../conversation/conversation.ts";
import { systemAsUser } from "../conversation/system-turns.ts";
import { textOfParts } from "../media.ts";
import { resultMedia, resultText } from "../tools/pair-calls.ts";
import { recordDroppedNative } from "./dropped-fields.ts";

/** A turn of a conversation as plain text. */
export type Line = Readonly<{ role: "user" | "assistant"; text: string }>;

/**
 * The turns as plain text, for services that take nothing else: roles alternate, starting with the user; tool calls and their
 * results become text. Adds the rest to `dropped`. `keepsImages`: the caller handles images.
 */
export function flattenTurns({ turns }: Pick<Conversation, "turns">, dropped: Dropped, keepsImages = false): Line[] {
  const lines: { role: DialogTurn["role"]; text: string }[] = [];
  for (const { role, parts } of systemAsUser(turns)) {
    const text = parts.flatMap((part) => textOfPart(part, dropped, keepsImages)).join("\n");
    const last = lines.at(-1);
    if (last?.role === role) last.text = [last.text, text].filter((piece) => piece !== "").join("\n");
    else if (text !== "") lines.push({ role, text });
  }
  if (lines[0]?.role === "assistant") lines.unshift({ role: "user", text: "..." });
  return lines;
}

/** The user's last message; empty if there is none. */
export const lastUserText = (lines: readonly Line[]): string =>
  lines.findLast(({ role }) => role === "user")?.text ?? "";

/** System instructions as one text; null if there are none. */
export const systemText = ({ system }: Pick<Conversation, "system">): string | null =>
  textOfParts(system, "\n\n") || null;

function textOfPart(part: Part, dropped: Dropped, keepsImages: boolean): string[] {
  switch (part.type) {
    case "text":
    case "refusal":
      return part.text === "" ? [] : [part.text];
    case "tool-call":
      return [`[called ${part.name} with ${part.input || "{}"}]`];
    case "tool-result":
      return [
        `[${part.name ?? "the tool"} answered: ${resultText(part)}]`,
        ...resultMedia(part).flatMap((inner) => textOfPart(inner, dropped, false)),
      ];
    case "reasoning":
      return [];
    case "document":
      if (part.source.kind === "text") return [part.source.text];
      break;
    case "image":
      if (keepsImages) return [];
      break;
    case "native":
      recordDroppedNative(part, dropped);
      return [];
  }
  dropped.add(part.type === "image" ? "image_url" : part.type);
  return [];
}
