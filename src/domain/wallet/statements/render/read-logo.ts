import { OutboundError } from "../../../../lib/outbound/outbound-error.ts";
import type { SafeFetch } from "../../../../lib/outbound/safe-fetch.ts";
import type { SettingsReader } from "../../../../settings/settings.ts";

const TIMEOUT_MS = 3000;
const MAX_BYTES = 1024 * 1024;
const PNG = [0x89, 0x50, 0x4e, 0x47];
const JPEG = [0xff, 0xd8, 0xff];

/** The site's logo as PNG or JPEG, from the address in the option `Logo`; null: there is none, or it can't be had. */
export async function readLogo({
  settings,
  fetch,
}: Readonly<{ settings: SettingsReader; fetch: SafeFetch }>): Promise<Uint8Array | null> {
  const address = settings.get("Logo");
  if (!/^https?:\/\//i.test(address)) return null;
  try {
    const { status, body } = await fetch(address, { timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES });
    return status === 200 && [PNG, JPEG].some((magic) => magic.every((byte, index) => body[index] === byte))
      ? body
      : null;
  } catch (error) {
    if (error instanceof OutboundError) return null;
    throw error;
  }
}
