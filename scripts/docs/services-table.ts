import type { ReasoningControl } from "../../src/formats/helpers/service.ts";
import { chatServiceOf } from "../../src/providers/contract/facts.ts";
import { channelTypes, providerOf } from "../../src/providers/registry.ts";

/** What is known of each service with chats, as a Markdown table: its record, or that there is none. */
export function servicesTable(): string {
  const rows = channelTypes.flatMap(({ id, name }) => {
    const provider = providerOf(id);
    if (!provider?.chat) return [];
    const isOwn = provider.chat.formats[0] !== "openai-chat";
    if (!provider.facts && !isOwn) return [line([String(id), name, "no record: as OpenAI", "", "", "", ""])];
    const { reasoning, reasoningName, systemTurns, cacheMarks } = chatServiceOf(provider);
    const meanings = Object.keys(provider.facts?.errors ?? {}).map((meaning) => meaning.replaceAll("_", " "));
    return [
      line([
        String(id),
        name,
        reasoning.map(controlOf).join("<br>") || (isOwn ? "own format" : "as OpenAI"),
        reasoning.flatMap(({ offCosts, models }) => (offCosts ? `${namesOf(models)}${offCosts}` : [])).join("<br>"),
        provider.chat.formats.includes("openai-chat") ? `\`${reasoningName}\`` : "own format",
        `${systemTurns}${cacheMarks ? ", cache marks" : ""}`,
        meanings.join(", "),
      ]),
    ];
  });
  const head = [
    "Type",
    "Service",
    "Reasoning is off by",
    "What off costs",
    "Returned reasoning",
    "Instructions",
    "Own errors",
  ];
  return [line(head), line(head.map(() => "---")), ...rows].join("\n");
}

const controlOf = ({ models, off }: ReasoningControl): string =>
  `${namesOf(models)}${off === "lowest" ? "lowest effort" : off === null ? "on request only" : `\`${JSON.stringify(off)}\``}`;

const namesOf = (models: RegExp | undefined): string => (models ? `\`${models.source.replaceAll("|", "\\|")}\`: ` : "");

const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
