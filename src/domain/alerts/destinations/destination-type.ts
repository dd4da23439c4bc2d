import type { Language } from "../../../lib/messages.ts";
import type { AlertAddresses } from "../../../server/config.ts";
import type { DestinationConfig, DestinationField } from "../../logs/sinks/destination-config.ts";
import type { AlertMessage } from "../alert.ts";

/** What a request is built with besides the alert. */
export type DeliveryContext = Readonly<{
  /** Of the delivery: the same for each attempt. */
  id: string;
  language: Language;
  /** Epoch seconds. */
  now: number;
  addresses: AlertAddresses;
}>;

/** A request to post, as JSON. */
export type DestinationRequest = Readonly<{
  url: string;
  body: object;
  /** Headers that depend on the body's bytes. */
  headers?: (body: string) => Readonly<Record<string, string>>;
}>;

/** How one service takes alerts. */
export type DestinationType = Readonly<{
  fields: readonly DestinationField[];
  buildRequest(config: DestinationConfig, alert: AlertMessage, context: DeliveryContext): DestinationRequest;
  /** Why a service that responds 200 to everything refuses; undefined: it accepts. */
  findRejection?(response: Readonly<Record<string, unknown>>): string | undefined;
  /** It opens an incident that stays open until the alert resolves. */
  opensIncidents?: true;
  /** Requests go by the site's fetch worker, where there is one. */
  throughWorker?: true;
}>;

/** The first `length` characters; whole characters, so that no emoji is cut in half. */
export const truncate = (text: string, length: number): string => {
  const characters = [...text];
  return characters.length <= length ? text : `${characters.slice(0, length - 1).join("")}…`;
};

/** Title, content and link in lines, for services that show plain text. */
export const plainText = ({ title, content, link }: AlertMessage): string =>
  [title, content, link && `${link.label}: ${link.address}`].filter(Boolean).join("\n");
