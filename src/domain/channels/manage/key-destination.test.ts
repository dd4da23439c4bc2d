import { expect, test } from "bun:test";
import { channelTypes, providerOf } from "../../../providers/registry.ts";
import { keepsDestination } from "./channel-settings.ts";
import { destinationOf } from "./key-destination.ts";

const TEXTS = [
  "",
  "v1",
  "evil.example/",
  "evil.example#",
  "@evil.example/",
  "../../..",
  "//evil.example",
  "\\evil",
  "a b",
];
const ADDRESSES = ["", "https://api.example.com", "https://api.example.com/base/v1"];
const KEY = '{"type":"service_account","project_id":"p","private_key":"k","client_email":"e"}';

const channelOf = (type: number, baseUrl: string, other: string) => ({
  ...{ type, baseUrl, other, setting: "", models: [], modelMapping: "", modelPrefix: "", testModel: "" },
});

/** The origins of all requests that a provider makes for a channel. */
function originsOf(type: number, baseUrl: string, other: string, model: string): string[] {
  const provider = providerOf(type);
  if (!provider) throw new Error(`no provider ${type}`);
  const channel = { baseUrl, other, openaiOrganization: model };
  const dialect = provider.chat?.formats[0] ?? "openai-chat";
  const urls = provider.capabilities.map((capability) =>
    provider.url(channel, { capability, dialect, model, requestedModel: model, stream: false, key: KEY }),
  );
  const more = [
    provider.modelList?.url(channel),
    provider.balance?.url(channel),
    provider.balance?.fallbackUrl?.(channel),
  ];
  const files = provider.files ? [provider.files.url(channel, "/files")] : [];
  // What can't be read as an address can't be requested either.
  return [...urls, ...more, ...files].flatMap((url) => (url ? (URL.parse(url)?.origin ?? []) : []));
}

test.each(channelTypes.map(({ id, name }) => [name, id] as const))(
  "%s: channels of one destination make requests of the same origins, whatever else is entered",
  (_, type) => {
    for (const baseUrl of ADDRESSES) {
      const byDestination = new Map<string, Set<string>>();
      for (const other of TEXTS) {
        for (const model of ["m", ...TEXTS]) {
          const destination = destinationOf(channelOf(type, baseUrl, other));
          const origins = [...new Set(originsOf(type, baseUrl, other, model))].toSorted().join(" ");
          byDestination.set(destination, (byDestination.get(destination) ?? new Set()).add(origins));
        }
      }
      for (const [destination, origins] of byDestination) {
        expect([destination, origins.size, [...origins].slice(0, 3)]).toEqual([destination, 1, [expect.any(String)]]);
      }
    }
  },
);

test("every setting that the documentation names is known to redirect or not", async () => {
  const page = await Bun.file("docs/guide/channels.md").text();
  const table = page.slice(page.indexOf("## Channel settings"), page.indexOf("## Providers with limits"));
  const names = [...table.matchAll(/^\| ((?:`\w+`(?:, )?)+)\s*\|/gm)].flatMap(
    ([, cell = ""]) => cell.match(/\w+/g) ?? [],
  );
  expect(names).toContain("user_agent");
  expect(names.filter((name) => !keepsDestination(name))).toEqual(["proxy"]);
});
