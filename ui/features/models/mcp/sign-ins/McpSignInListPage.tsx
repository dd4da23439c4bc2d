import SignIn from "@mui/icons-material/LoginOutlined";
import SignOut from "@mui/icons-material/LogoutOutlined";
import Button from "@mui/material/Button";
import { useQuery } from "@tanstack/react-query";
import { Row } from "../../../../components/layout.tsx";
import { Quiet, StateChip, type Status } from "../../../../components/page/list/column-kinds.tsx";
import { ListPage } from "../../../../components/page/list/ListPage.tsx";
import type { FilterValues, ListAction, ResourceList } from "../../../../components/page/list/resource-list.ts";
import { namedCell } from "../../named-cell.tsx";
import { type McpSignInView, mcpSignIns, signIn, signOut } from "./sign-in-calls.ts";

const needs = "keys.all";

const signingIn = (name: string, isShown: (server: McpSignInView) => boolean): ListAction<McpSignInView> => ({
  ...{ name, icon: SignIn, needs, isShown },
  work: ({ id }) => signIn(id),
});

/** MCP servers at which the account that the user acts for signs in. */
export const MCP_SIGN_INS: ResourceList<McpSignInView> = {
  text: (name) => `mcpSignIns.${name}`,
  icon: SignIn,
  rows: { useAll: () => useQuery(mcpSignIns()), matches },
  rowId: ({ id }) => id,
  rowName: ({ name }) => name,
  unit: "mcpSignIns.unit",
  columns: [
    { key: "name", isTitle: true, cell: namedCell },
    { key: "host", kind: "text", of: "host" },
    { key: "scope", cell: ({ scope }) => <Quiet>{scope}</Quiet> },
    { key: "by", width: 150, kind: "text", of: "signed_in_by" },
    { key: "since", kind: "time", width: 150, of: "signed_in_at", none: "mcpSignIns.never" },
    {
      ...{ key: "status", width: 320, isSolid: true },
      cell: (server, { t, may, act }) => (
        <Row gap={3}>
          <StateChip of={statusOf(server)} />
          {may(needs) && needsSignIn(server) && (
            <Button
              size="small"
              aria-label={t("mcpSignIns.signInTo", { name: server.name })}
              onClick={(event) => {
                event.stopPropagation();
                void act({ work: () => signIn(server.id) });
              }}
            >
              {t(server.state === "none" ? "mcpSignIns.signIn" : "mcpSignIns.signInAgain")}
            </Button>
          )}
        </Row>
      ),
    },
  ],
  search: "mcpSignIns.search",
  actions: [
    signingIn("signIn", ({ state }) => state === "none"),
    signingIn("signInAgain", ({ state }) => state !== "none"),
    {
      ...{ name: "signOut", icon: SignOut, needs, isDangerous: true },
      isShown: ({ state }) => state !== "none",
      ask: { title: "mcpSignIns.signOutTitle", body: "mcpSignIns.signOutBody", action: "mcpSignIns.signOut" },
      work: async ({ id, name }, { t }) => {
        const { revoked } = await signOut(id);
        return t(revoked ? "mcpSignIns.signedOutToast" : "mcpSignIns.deletedToast", { name });
      },
    },
  ],
  onRow: ["signIn"],
  emptyFiltered: { title: "mcpSignIns.empty.filteredTitle", body: "mcpSignIns.empty.filteredBody" },
  remembers: { as: "mcp-sign-ins", columns: "widths" },
  reload: [{ queryKey: ["mcp-sign-ins"] }],
};

/** Whether calls of its tools, or of some, are refused until the user signs in. */
const needsSignIn = ({ state, missing_scope: missing }: McpSignInView): boolean =>
  state !== "signed_in" || missing !== "";

function statusOf({ state, missing_scope: missing, reason }: McpSignInView): Status {
  if (state === "none") return { tone: "idle", text: "mcpSignIns.status.none" };
  if (state === "ended") return { tone: "bad", text: "mcpSignIns.status.ended", reason };
  if (missing !== "") return { tone: "warn", text: "mcpSignIns.status.missing", reason: missing };
  if (reason !== "") return { tone: "warn", text: "mcpSignIns.status.failing", reason };
  return { tone: "ok", quiet: true, text: "mcpSignIns.status.signedIn" };
}

/** Whether a name, description or address contains what is searched. */
function matches({ name, description, host }: McpSignInView, { text: textOf }: FilterValues): boolean {
  const text = textOf("search").trim().toLowerCase();
  return [name, description, host].some((each) => each.toLowerCase().includes(text));
}

export const McpSignInListPage = () => <ListPage list={MCP_SIGN_INS} />;
