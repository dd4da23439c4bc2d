import type { ReasoningControl } from "../../../src/formats/conversation/service.ts";
import { chatServiceOf, hasRecord, type ServiceRegions } from "../../../src/providers/contract/facts.ts";
import { channelTypes, providerOf } from "../../../src/providers/registry.ts";

/** What is known of each service with chats, as a Markdown table; services of which the same is known share a row. */
export function servicesTable(): string {
  const services = new Map<string, string[]>();
  for (const { id, name } of channelTypes) {
    const facts = factsOf(id);
    if (facts === null) continue;
    services.set(facts, [...(services.get(facts) ?? []), `${name} (${id})`]);
  }
  const head = ["Service (type)", "Reasoning is off by", "Returned reasoning", "Instructions", "Own errors"];
  const rows = [...services].map(([facts, names]) => `| ${names.join(", ")} ${facts}`);
  return [line(head), line(head.map(() => "---")), ...rows].join("\n");
}

/** The cells that follow a service's name; null: it has no chats. */
function factsOf(type: number): string | null {
  const provider = providerOf(type);
  if (!provider?.chat) return null;
  const isOwn = provider.chat.formats[0] !== "openai-chat";
  if (!hasRecord(provider) && !isOwn) return line(["no record: as OpenAI", "", "", ""]);
  const { reasoning, reasoningName, systemTurns, cacheMarks } = chatServiceOf(provider);
  const meanings = Object.keys(provider.facts?.errors ?? {}).map((meaning) => meaning.replaceAll("_", " "));
  return line([
    reasoning.map(controlOf).join("<br>") || (isOwn ? "own format" : "as OpenAI"),
    provider.chat.formats.includes("openai-chat") ? `\`${reasoningName}\`` : "own format",
    `${systemTurns}${cacheMarks ? ", cache marks" : ""}`,
    meanings.join(", "),
  ]);
}

/** What "lowest effort" says already of what off costs. */
const IMPLIED = /^They always reason(?:: the lowest effort is sent)?(?:\.$|, )/;

function controlOf({ models, off, offCosts = "" }: ReasoningControl): string {
  const sent = off === "lowest" ? "lowest effort" : off === null ? "on request only" : `\`${JSON.stringify(off)}\``;
  const costs = offCosts.replace(IMPLIED, "").replace(/\.$/, "");
  return `${namesOf(models)}${sent}${costs && ` (${costs})`}`;
}

/** Where each service is, its tiers, and what documents it, as a Markdown table. */
export function sourcesTable(): string {
  const rows = channelTypes.flatMap(({ id, name }) => {
    const provider = providerOf(id);
    if (!provider) return [];
    const { documented, hosts = [], tiers, regions, ended } = provider.facts ?? {};
    const pages = documented ? `[${documented.version ?? "documentation"}](${documented.source})` : "";
    return [
      line([
        `${name} (${id})${ended ? `, ended ${ended.day}` : ""}`,
        hosts
          .map(
            ({ region, url, plan }) => `\`${url}\` (${[region ?? "international", plan].filter(Boolean).join(", ")})`,
          )
          .join("<br>"),
        tiers ? tiersOf(tiers) : "",
        regions ? regionsOf(regions) : "",
        documented?.day ? `${pages}, read on ${documented.day}` : pages,
      ]),
    ];
  });
  const head = ["Service (type)", "Addresses", "Service tiers", "Regions", "Newest API"];
  return [line(head), line(head.map(() => "---")), ...rows].join("\n");
}

const tiersOf = (tiers: Readonly<Record<string, string>>): string =>
  Object.entries(tiers)
    .map(([openai, own]) => (openai === own ? own : `${openai} as ${own}`))
    .join(", ") || "none";

const regionsOf = ({ names, source, day }: ServiceRegions): string =>
  `[${names.length}](${source}), read on ${day}: ${names.map((name) => `\`${name}\``).join(", ")}`;

const namesOf = (models: RegExp | undefined): string => (models ? `\`${models.source.replaceAll("|", "\\|")}\`: ` : "");

const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
