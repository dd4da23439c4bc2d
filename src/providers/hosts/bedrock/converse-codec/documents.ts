import { type JsonObject, recordOf, recordsOf, textOf } from "../../../../formats/json.ts";

/**
 * Messages as Bedrock takes documents: each has a name of its own in the conversation, and a text next to it. Names are
 * numbered in order, so that earlier turns stay the same when one follows. Source:
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_DocumentBlock.html
 */
export function withReadableDocuments(messages: readonly JsonObject[]): JsonObject[] {
  const used = new Set<string>();
  return messages.map((message) => {
    const content = recordsOf(message.content);
    return content.some(holdsDocument) ? { ...message, content: readable(content, used) } : message;
  });
}

const holdsDocument = ({ document, toolResult }: JsonObject): boolean =>
  document !== undefined || recordsOf(recordOf(toolResult)?.content).some((block) => block.document !== undefined);

function readable(content: readonly JsonObject[], used: Set<string>): JsonObject[] {
  const blocks = content.map((block): JsonObject => {
    const document = recordOf(block.document);
    if (document) return { document: { ...document, name: ownName(textOf(document.name) ?? "document", used) } };
    const result = recordOf(block.toolResult);
    return result ? { toolResult: { ...result, content: readable(recordsOf(result.content), used) } } : block;
  });
  const first = blocks.findIndex(({ document }) => document !== undefined);
  if (first < 0 || blocks.some(({ text }) => text !== undefined)) return blocks;
  const name = textOf(recordOf(blocks[first]?.document)?.name);
  return [...blocks.slice(0, first), { text: `Attached: ${name}` }, ...blocks.slice(first)];
}

function ownName(name: string, used: Set<string>): string {
  let own = name;
  for (let count = 2; used.has(own); count++) own = `${name} (${count})`;
  used.add(own);
  return own;
}
