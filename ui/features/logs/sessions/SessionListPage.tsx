import Account from "@mui/icons-material/AccountTreeOutlined";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { useSeesAllUsers } from "../../../api/accounts/use-organization.ts";
import { Tag } from "../../../components/display/Tag.tsx";
import { Row } from "../../../components/layout.tsx";
import { ListPage } from "../../../components/page/list/ListPage.tsx";
import type { ResourceList } from "../../../components/page/list/resource-list.ts";
import { withRight } from "../../../components/page/with-right.tsx";
import { useAddress } from "../../../components/use-address.ts";
import { SessionDetail } from "./SessionDetail.tsx";
import { type SessionScope, type SessionView, sessionList } from "./session-calls.ts";
import { figureOf } from "./session-figures.ts";

/** Runs of agents. */
export const sessionsOf = (scope: SessionScope): ResourceList<SessionView> => ({
  text: (name) => `sessions.${name}`,
  icon: Account,
  rows: { useAll: (_, { text }) => useQuery(sessionList(scope, text("search"))), matches: () => true },
  rowId: ({ user_id: user, id }) => `${user} ${id}`,
  rowName: ({ id }) => id,
  unit: "sessions.unit",
  columns: [
    {
      key: "id",
      isTitle: true,
      cell: ({ id, source }, { t }) => (
        <Row gap={2}>
          <span title={id} style={{ overflow: "hidden", textOverflow: "ellipsis" }}>
            {id}
          </span>
          <Tag>{t(`sessions.sources.${source}`, { defaultValue: source })}</Tag>
        </Row>
      ),
    },
    {
      key: "user",
      kind: "text",
      of: "username",
      fit: ({ username }) => username,
      width: 130,
      isShown: () => scope === "all",
    },
    { key: "calls", kind: "number", of: (session) => figureOf(session, "calls"), width: 96 },
    { key: "failed", kind: "number", of: (session) => figureOf(session, "failed"), width: 88 },
    { key: "tools", kind: "number", of: (session) => figureOf(session, "tools"), width: 104 },
    { key: "cost", kind: "money", of: "quota", width: 104, decimals: 6 },
    { key: "duration", kind: "duration", of: (session) => figureOf(session, "duration"), width: 104 },
    { key: "last", kind: "time", of: "ended_at", width: 120 },
  ],
  search: "sessions.search",
  onRow: { run: ({ id, user_id: user }, { address }) => address.set({ session: id, user: String(user) }) },
});

/** The runs, or one of them where the address names it. */
const SessionListContent = () => {
  const address = useAddress();
  const scope = useSeesAllUsers() ? "all" : "self";
  const list = useMemo(() => sessionsOf(scope), [scope]);
  const opened = { id: address.text("session"), userId: Number(address.text("user")) || 0 };
  return opened.id === "" ? <ListPage list={list} /> : <SessionDetail scope={scope} session={opened} />;
};

export const SessionListPage = withRight("requests.read", SessionListContent);
