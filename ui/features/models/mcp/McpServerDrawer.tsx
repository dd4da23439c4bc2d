import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { groupNames } from "../../../api/channels/channel-lists.ts";
import { optionsOf } from "../../../components/form/form-fields.ts";
import { ResourceForm } from "../../../components/form/ResourceForm.tsx";
import { createServer, type McpServerView, mcpServers, updateServer } from "./mcp-calls.ts";
import { AUTHENTICATION, checkMcpForm, formOf, KINDS, type McpForm, readAgentJson, serverOfForm } from "./mcp-form.ts";

type McpServerDrawerProps = Readonly<{
  /** Null: a new one. */
  server: McpServerView | null;
  /** The names of the other servers. */
  taken: readonly string[];
  onClose: () => void;
}>;

/** Adds or edits an MCP server. */
export const McpServerDrawer = ({ server, taken, onClose }: McpServerDrawerProps) => {
  const { t } = useTranslation();
  const groups = useQuery(groupNames).data ?? [];
  const text = (name: string) => t(`mcp.form.${name}`);
  const save = async (form: McpForm) => {
    const saved = serverOfForm(form);
    const { listing } = await (server ? updateServer(server.id, saved) : createServer(saved));
    const { name } = saved;
    if (listing.error !== "") return t("mcp.savedFailing", { name, reason: listing.error });
    return t(listing.waiting > 0 ? "mcp.savedWaiting" : "mcp.saved", { name, count: listing.waiting });
  };
  return (
    <ResourceForm
      hasDraft
      title={server ? t("mcp.form.editTitle", { name: server.name }) : text("createTitle")}
      action={text(server ? "save" : "create")}
      isNew={server === null}
      text={(name) => `mcp.form.${name}`}
      initial={formOf(server)}
      check={(form) => checkMcpForm(form, taken)}
      fault={(fault) => t(`mcp.form.errors.${fault}`)}
      follow={({ paste }) => (paste ? (readAgentJson(paste) ?? {}) : {})}
      save={save}
      reload={[mcpServers]}
      sections={(form) => [
        server === null && {
          title: text("from"),
          fields: [
            { kind: "text", field: "paste", hint: true, rows: 2, maxRows: 8, isCode: true, optional: text("optional") },
          ],
        },
        {
          title: text("basics"),
          fields: [
            { kind: "text", field: "name", hint: true, autoFocus: server === null, placeholder: "github" },
            { kind: "text", field: "description", optional: text("optional") },
            { kind: "choice", field: "kind", options: optionsOf(KINDS, (kind) => t(`mcp.kinds.${kind}`)) },
            form.kind === "openapi" && {
              kind: "text",
              field: "documentUrl",
              hint: true,
              optional: text("optional"),
              placeholder: "https://",
            },
            form.kind === "openapi" &&
              form.documentUrl.trim() === "" && {
                kind: "text",
                field: "document",
                hint: text(form.hasDocument ? "documentStored" : "documentHint"),
                ...{ rows: 3, maxRows: 12, isCode: true },
              },
            form.kind === "stdio" && { kind: "text", field: "command", hint: true, placeholder: "npx" },
            form.kind === "stdio" && {
              kind: "text",
              field: "args",
              hint: true,
              optional: text("optional"),
              ...{ rows: 2, maxRows: 8, isCode: true },
            },
            form.kind === "stdio" && {
              kind: "text",
              field: "environment",
              hint: text(server?.has_secret ? "environmentStored" : "environmentHint"),
              optional: text("optional"),
              ...{ rows: 2, maxRows: 8, isCode: true },
            },
            form.kind !== "stdio" && {
              kind: "text",
              field: "url",
              hint: text(form.kind === "openapi" ? "apiUrlHint" : "urlHint"),
              optional: form.kind === "openapi" && text("optional"),
              placeholder: "https://",
            },
            { kind: "switch", field: "isEnabled", label: text("enabled") },
          ],
        },
        form.kind !== "stdio" && {
          title: text("authentication"),
          fields: [
            {
              kind: "choice",
              field: "auth",
              options: optionsOf(AUTHENTICATION, (auth) => t(`mcp.authentication.${auth}`)),
              hint: form.auth === "oauth" && text("oauthHint"),
            },
            form.auth === "oauth" && {
              kind: "text",
              field: "issuer",
              hint: true,
              optional: text("optional"),
              placeholder: "https://",
            },
            form.auth === "oauth" && [
              { kind: "text", field: "clientId", hint: text("registeredHint"), optional: text("optional") },
              { kind: "text", field: "oauthScope", optional: text("optional") },
            ],
            form.auth === "client_credentials" && { kind: "text", field: "tokenUrl", placeholder: "https://" },
            form.auth === "client_credentials" && [
              { kind: "text", field: "clientId" },
              { kind: "text", field: "oauthScope", optional: text("optional") },
            ],
            form.auth !== "none" &&
              !(form.auth === "oauth" && form.clientId.trim() === "") && {
                kind: "secret",
                field: "secret",
                label: text(form.auth === "key" ? "key" : "clientSecret"),
                hint: text(server?.has_secret ? "secretStored" : "secretHint"),
              },
            form.auth === "key" &&
              form.query.trim() === "" && {
                kind: "text",
                field: "header",
                optional: text("optional"),
                placeholder: "Authorization",
              },
            form.auth === "key" &&
              form.header.trim() === "" && { kind: "text", field: "query", hint: true, optional: text("optional") },
          ],
        },
        {
          title: text("offers"),
          fields: [
            { kind: "names", field: "tools", hint: true, placeholder: text("all") },
            { kind: "switch", field: "isReadOnly", label: text("readOnly"), hint: text("readOnlyHint") },
            form.kind !== "openapi" && { kind: "switch", field: "passesPrompts" },
            form.kind !== "openapi" && { kind: "switch", field: "passesResources", hint: true },
            form.kind !== "openapi" && { kind: "switch", field: "asksUsers", hint: true },
            form.kind !== "openapi" && { kind: "switch", field: "asksModel", hint: true },
            form.kind !== "openapi" && { kind: "switch", field: "asksRoots" },
          ],
        },
        {
          title: text("callers"),
          hint: text("callersHint"),
          fields: [
            { kind: "names", field: "groups", options: groups, placeholder: text("all") },
            { kind: "names", field: "accounts", hint: true, placeholder: text("all") },
            { kind: "names", field: "projects", placeholder: text("all") },
            { kind: "names", field: "keys", placeholder: text("all") },
          ],
        },
        {
          title: text("limits"),
          fields: [
            [
              { kind: "integer", field: "timeout" },
              { kind: "integer", field: "kibibytes" },
            ],
            { kind: "integer", field: "tokens", hint: true, optional: text("optional") },
            { kind: "text", field: "price", hint: true, optional: text("optional"), placeholder: "0" },
          ],
        },
      ]}
      onClose={onClose}
    />
  );
};
