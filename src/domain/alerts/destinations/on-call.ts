import type { Severity } from "../alert.ts";
import { type DestinationType, truncate } from "./destination-type.ts";

/**
 * PagerDuty's Events API v2: an incident for each key, which the end of the alert resolves.
 * https://developer.pagerduty.com/docs/events-api-v2-overview
 */
export const pagerduty: DestinationType = {
  fields: [
    { name: "routing_key", format: /^[A-Za-z0-9]{32}$/, isSecret: true },
    { name: "region", format: /^(us|eu)$/, isOptional: true },
  ],
  opensIncidents: true,
  buildRequest({ routing_key, region }, { key, state, severity, title, content, link, ...alert }, { addresses }) {
    const event = { routing_key, event_action: state === "firing" ? "trigger" : "resolve", dedup_key: key };
    const payload = {
      summary: truncate(`${title}: ${content}`, 1024),
      source: new URL(alert.address).host,
      severity,
      timestamp: new Date(alert.at * 1000).toISOString(),
      class: alert.type,
      custom_details: { title, content },
    };
    const details = {
      payload,
      client: alert.site,
      client_url: alert.address,
      ...(link && { links: [{ href: link.address, text: link.label }] }),
    };
    return {
      url: `${region === "eu" ? addresses.pagerdutyEu : addresses.pagerduty}/v2/enqueue`,
      body: state === "firing" ? { ...event, ...details } : event,
    };
  },
};

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
