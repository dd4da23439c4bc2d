import type { StoredKey } from "../../../src/domain/channels/provider-keys/own-keys.ts";
import { startRelay } from "./start-gateway.ts";
import { chatReply, startUpstream } from "./start-upstream.ts";

type Setup = Parameters<typeof startRelay>[0];
type Answer = Parameters<typeof startUpstream>[0];

/** The key that accounts have stored. */
export const OWN = "sk-own-key-of-alice";

const answerChat: Answer = () => Response.json(chatReply());

type OwnKeySetup = Partial<Setup> & {
  /** What the provider of the keys answers, and the upstream of the site's channel. */
  own?: Answer;
  site?: Answer;
  /** Keys of the first user; one unless given. */
  keys?: Partial<StoredKey>[];
};

/** A site with a channel and, at another upstream, a provider for keys of one's own. Everything ends with `stops`. */
export function startOwnKeys(stops: (() => unknown)[], setup: OwnKeySetup = {}) {
  const { own = answerChat, site = answerChat, keys = [{}], ...rest } = setup;
  const [provider, upstream] = [startUpstream(own), startUpstream(site)];
  const stored = keys.map(
    (fields, at): StoredKey => ({
      ...{ id: at + 1, userId: 1, name: `mine ${at + 1}`, type: 1, key: OWN, baseUrl: provider.url },
      ...{ models: ["*"], mode: "first", ...fields },
    }),
  );
  const reports: [number, string | null][] = [];
  const relay = startRelay({
    ...rest,
    channels: (rest.channels ?? [{}]).map((channel) => ({ baseUrl: upstream.url, ...channel })),
    providerKeys: {
      of: (userId) => (stored.some((key) => key.userId === userId) ? stored : undefined),
      report: (id, reason) => void reports.push([id, reason]),
      addressOf: () => provider.url,
    },
    options: { ProviderKeys: "both", ProviderKeyFeePercent: "5", ...rest.options },
  });
  stops.push(provider.stop, upstream.stop, relay.stop);
  return { relay, provider, upstream, reports };
}
