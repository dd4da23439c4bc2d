import { nowSeconds } from "../../lib/clock.ts";
import type { Vault } from "../../lib/security/crypto.ts";
import type { AlertAddresses } from "../../server/config.ts";
import { NotifyError, type PostDeps, parseRecord, post } from "../notifications/post.ts";
import { type Alert, sayAlert } from "./alert.ts";
import { decryptConfig } from "./destination-config.ts";
import { destinationType, isDestinationType } from "./destinations/destination-types.ts";
import { type DestinationRow, languageOfRow } from "./destinations.ts";

/** What sending an alert needs; `localAddress`: the console where no ServerAddress is set. */
export type SendAlertDeps = PostDeps & Readonly<{ vault: Vault; addresses: AlertAddresses; localAddress: string }>;

const LONGEST_REJECTION = 200;

/**
 * Sends an alert to a destination, once. `id`: the delivery's. Resolves with the status of the response; rejects NotifyError,
 * or DecryptionError when the configuration cannot be read.
 */
export async function sendAlert(
  deps: SendAlertDeps,
  destination: DestinationRow,
  alert: Alert,
  id: string,
): Promise<number> {
  const { settings, vault, addresses } = deps;
  if (!isDestinationType(destination.type)) throw new NotifyError("unknown type", true, { code: "alert_type_invalid" });
  const type = destinationType(destination.type);
  const language = languageOfRow(destination);
  const address = settings.get("ServerAddress") || deps.localAddress;
  const message = sayAlert(alert, language, { site: settings.get("SystemName"), address });
  const config = decryptConfig(vault, destination.configCipher);
  const request = type.buildRequest(config, message, { id, language, now: nowSeconds(), addresses });
  const body = JSON.stringify(request.body);
  const headers = { "content-type": "application/json", ...request.headers?.(body) };
  const { status, text } = await post(
    deps,
    request.url,
    { headers, body },
    {
      throughWorker: type.throughWorker ?? false,
      readRejection,
    },
  );
  const rejection = type.findRejection?.(parseRecord(text));
  if (rejection === undefined) return status;
  throw new NotifyError(rejection.slice(0, LONGEST_REJECTION), true, { httpStatus: status });
}

/** What a service says of a refusal: in a field of JSON, or as Slack does in a code alone. Nothing else is shown. */
function readRejection(text: string): string | undefined {
  const { description, message, msg, errors } = parseRecord(text);
  const reason = [Array.isArray(errors) ? errors[0] : undefined, description, message, msg].find(
    (part) => typeof part === "string" && part !== "",
  );
  if (typeof reason === "string") return reason.slice(0, LONGEST_REJECTION);
  return /^[a-z_]{1,60}$/.test(text.trim()) ? text.trim() : undefined;
}
