import { Elysia, t } from "elysia";
import type { Db } from "../../../../db/types.ts";
import { isSsoName, type SsoName } from "../../../domain/accounts/identity/sso-rules.ts";
import { findProviderRow } from "../../../domain/accounts/identity-providers/find-provider.ts";
import { samlKeyOf } from "../../../domain/accounts/identity-providers/saml-key.ts";
import { acceptResponse, samlAddresses } from "../../../domain/accounts/identity-providers/saml-provider.ts";
import { languageOf, say } from "../../../lib/messages.ts";
import type { Logger } from "../../../lib/runtime/log.ts";
import type { Vault } from "../../../lib/security/crypto.ts";
import type { SettingsReader } from "../../../settings/settings.ts";
import type { rateLimit } from "../../http/rate-limit.ts";

type SamlServices = Readonly<{
  db: Db;
  vault: Vault;
  settings: SettingsReader;
  log: Logger;
}>;

const LONGEST_RESPONSE = 400_000;
const params = t.Object({ provider: t.String({ maxLength: 20 }) });

/**
 * SAML 2.0 for browsers: our metadata, and the assertion consumer service, which identity providers have browsers post to. It
 * reads no cookie and signs nobody in: it sends the browser on with a code that only the browser of the sign-in can use.
 */
export function samlRoutes(services: SamlServices, limits: ReturnType<typeof rateLimit>) {
  const find = async (name: string) => {
    const row = await findProviderRow(services.db, name);
    return row?.type === "saml" && row.enabled && isSsoName(name) ? { row, name } : null;
  };
  return new Elysia({ prefix: "/saml", name: "console/saml" })
    .use(limits)
    .get(
      "/:provider/metadata",
      async ({ request, params, status }) => {
        const found = await find(params.provider);
        if (!found) return notFound();
        const site = services.settings.get("ServerAddress");
        if (site === "") return status(409, say("server_address_missing", languageOf(request)));
        const { certificate } = await samlKeyOf(services, found.row);
        return xml(metadata(site, found.name, certificate));
      },
      { params },
    )
    .post(
      "/:provider/acs",
      async ({ params, body }) => {
        const found = await find(params.provider);
        if (!found) return notFound();
        try {
          return backToConsole(found.name, await acceptResponse(found.row, services, body.SAMLResponse));
        } catch (error) {
          services.log.warn({ provider: found.name, error }, "a SAML response was refused");
          return backToConsole(found.name, { error: "invalid_response" });
        }
      },
      { critical: true, params, body: t.Object({ SAMLResponse: t.String({ maxLength: LONGEST_RESPONSE }) }) },
    );
}

const notFound = () => new Response(null, { status: 404 });

/** To the page of OAuth callbacks, on this site and by GET. */
const backToConsole = (name: SsoName, query: Readonly<Record<string, string>>) =>
  new Response(null, {
    status: 303,
    headers: { location: `/oauth/${name}?${new URLSearchParams(query)}`, "cache-control": "no-store" },
  });

const xml = (text: string) => new Response(text, { headers: { "content-type": "application/samlmetadata+xml" } });

/** Who we are, for the form of an identity provider (SAML 2.0 metadata, 2.4.4). */
function metadata(site: string, name: SsoName, certificate: string): string {
  const { entityId, acs } = samlAddresses(escapeXml(site), name);
  const protocol = "urn:oasis:names:tc:SAML:2.0:protocol";
  const key = certificate.replace(/-----[^-]+-----|\s/g, "");
  return [
    `<?xml version="1.0" encoding="UTF-8"?>`,
    `<EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata" entityID="${entityId}">`,
    `  <SPSSODescriptor AuthnRequestsSigned="true" WantAssertionsSigned="true" protocolSupportEnumeration="${protocol}">`,
    `    <KeyDescriptor use="signing"><KeyInfo xmlns="http://www.w3.org/2000/09/xmldsig#"><X509Data>`,
    `      <X509Certificate>${key}</X509Certificate>`,
    "    </X509Data></KeyInfo></KeyDescriptor>",
    `    <AssertionConsumerService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST" Location="${acs}" index="0" isDefault="true"/>`,
    "  </SPSSODescriptor>",
    "</EntityDescriptor>",
    "",
  ].join("\n");
}

const ESCAPES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
const escapeXml = (text: string): string => text.replace(/[&<>"]/g, (letter) => ESCAPES[letter] ?? "");
