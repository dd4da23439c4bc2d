import type { Severity } from "../alert.ts";
import { type DestinationType, truncate } from "./destination-type.ts";

const PRIORITIES: Readonly<Record<Severity, string>> = { critical: "P1", error: "P2", warning: "P3", info: "P5" };

/** Opsgenie's alerts, created and closed by their alias. https://docs.opsgenie.com/docs/alert-api */
export const opsgenie: DestinationType = {
  fields: [
    { name: "api_key", format: /^[\w-]{16,100}$/, isSecret: true },
    { name: "region", format: /^(us|eu)$/, isOptional: true },
  ],
  opensIncidents: true,
  buildRequest({ api_key, region }, { key, state, severity, title, content, link, ...alert }, { addresses }) {
    const url = `${region === "eu" ? addresses.opsgenieEu : addresses.opsgenie}/v2/alerts`;
    const headers = () => ({ authorization: `GenieKey ${api_key}` });
    const source = truncate(alert.site, 100);
    if (state === "resolved") {
      const note = truncate(`${title}: ${content}`, 25_000);
      return { url: `${url}/${encodeURIComponent(key)}/close?identifierType=alias`, headers, body: { source, note } };
    }
    const body = {
      message: truncate(title, 130),
      alias: key,
      description: truncate(link ? `${content}\n${link.address}` : content, 15_000),
      source,
      priority: PRIORITIES[severity],
      tags: [alert.type],
    };
    return { url, headers, body };
  },
};
