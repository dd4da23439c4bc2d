import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { McpUsageRow } from "../../../../src/domain/logs/usage/read-mcp-usage.ts";
import { Choice } from "../../../components/charts/Choice.tsx";
import { SideDrawer } from "../../../components/feedback/SideDrawer.tsx";
import { Col } from "../../../components/layout.tsx";
import { columnName, type Figures, FigureTable } from "../../../components/page/list/FigureTable.tsx";
import { mcpUsage } from "./mcp-calls.ts";

type Data = Readonly<{ server: string }>;

/** The calls of a server by tool or user, each with the way to its calls in the log. */
export const usageBy = (by: "tools" | "users"): Figures<McpUsageRow, Data> => ({
  text: (name) => `mcp.usage.${columnName(name)}`,
  rowId: ({ key }) => key,
  rowName: ({ name }) => name,
  columns: [
    {
      key: by === "tools" ? "tool" : "user",
      isTitle: true,
      cell: ({ name, key }, { data: { server } }) => (
        <Link
          to="/log"
          search={() => (by === "tools" ? { model: `mcp/${server}/${key}` } : { model: `mcp/${server}/%`, user: name })}
        >
          {name || key}
        </Link>
      ),
    },
    { key: "calls", kind: "count", width: 80 },
    { key: "errors", kind: "count", width: 80, of: "failed" },
    { key: "duration", kind: "duration", width: 110, of: "p50_ms" },
    { key: "cost", kind: "money", width: 110, of: "quota", decimals: 4 },
  ],
});

const TABLES = { tools: usageBy("tools"), users: usageBy("users") };
const DAYS = ["1", "7", "30"] as const;

/** Who used which tools of a server in the last days, how it went and what it cost. */
export const UsageDrawer = ({ server, onClose }: Readonly<{ server: string; onClose: () => void }>) => {
  const { t } = useTranslation();
  const [days, setDays] = useState<(typeof DAYS)[number]>("7");
  const { data, error, refetch } = useQuery(mcpUsage(server, Number(days)));
  return (
    <SideDrawer
      title={t("mcp.usage.title", { name: server })}
      subtitle={t("mcp.usage.subtitle")}
      onClose={onClose}
      footer={(close) => <Button onClick={close}>{t("mcp.tools.close")}</Button>}
    >
      <Col gap={4}>
        <Choice
          label={t("mcp.usage.days")}
          value={days}
          choices={DAYS}
          words={(count) => t("mcp.usage.lastDays", { count: Number(count) })}
          onChange={setDays}
        />
        {(["tools", "users"] as const).map((by) => (
          <Col key={by} gap={2}>
            <Box component="h3" sx={{ m: 0, fontSize: 13.5, fontWeight: 600 }}>
              {t(`mcp.usage.${by}`)}
            </Box>
            <FigureTable
              isCompact
              table={TABLES[by]}
              rows={data?.[by]}
              data={{ server }}
              error={error}
              onRetry={() => void refetch()}
              empty={t("mcp.usage.none")}
            />
          </Col>
        ))}
      </Col>
    </SideDrawer>
  );
};
