import Box from "@mui/material/Box";
import type { TFunction } from "i18next";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import type { Column } from "../../../components/data-table/column.ts";
import { StatusChip } from "../../../components/display/StatusChip.tsx";
import { Tag } from "../../../components/display/Tag.tsx";
import { Row } from "../../../components/layout.tsx";
import { countConditions } from "./candidate-form.ts";
import type { RouteView } from "./route-calls.ts";

/** The columns of the list of routes. */
export function useRouteColumns(): readonly Column<RouteView>[] {
  const { t } = useTranslation();
  return useMemo(() => columnsOf(t), [t]);
}

const columnsOf = (t: TFunction): readonly Column<RouteView>[] => [
  {
    key: "name",
    head: t("routes.columns.name"),
    isTitle: true,
    cell: ({ name, description }) => (
      <Box sx={{ minWidth: 0 }}>
        <Box title={name} sx={{ fontWeight: 560, overflow: "hidden", textOverflow: "ellipsis" }}>
          {name}
        </Box>
        {description && (
          <Box
            title={description}
            sx={{ fontSize: 12, color: "text.tertiary", overflow: "hidden", textOverflow: "ellipsis" }}
          >
            {description}
          </Box>
        )}
      </Box>
    ),
  },
  {
    key: "strategy",
    head: t("routes.columns.strategy"),
    width: 132,
    cell: ({ strategy = "priority" }) => t(`routes.strategies.${strategy}`),
  },
  {
    key: "candidates",
    head: t("routes.columns.candidates"),
    isSolid: true,
    cell: ({ candidates = [], strategy }) => (
      <Row gap={1.5} wrap>
        {candidates.map((candidate) => {
          const conditions = countConditions(candidate);
          const weight = strategy === "weighted" ? ` × ${candidate.weight ?? 1}` : "";
          const note = conditions > 0 ? ` · ${t("routes.conditions", { count: conditions })}` : "";
          return <Tag key={JSON.stringify(candidate)}>{`${candidate.model}${weight}${note}`}</Tag>;
        })}
      </Row>
    ),
  },
  {
    key: "status",
    head: t("routes.columns.status"),
    width: 172,
    isSolid: true,
    cell: (route) => <RouteStatus route={route} />,
  },
];

/** Whether a route is enabled, and whether channels serve its models. */
const RouteStatus = ({ route }: { route: RouteView }) => {
  const { t } = useTranslation();
  const { enabled = true, candidates = [], unserved } = route;
  if (!enabled) return <StatusChip tone="idle">{t("routes.status.disabled")}</StatusChip>;
  if (unserved.length === 0) {
    return (
      <StatusChip tone="ok" quiet>
        {t("routes.status.enabled")}
      </StatusChip>
    );
  }
  const isDead = candidates.every(({ model = "" }) => unserved.includes(model));
  return (
    <StatusChip
      tone={isDead ? "bad" : "warn"}
      reason={t("routes.statusReason", { models: unserved.join(t("routing.comma")) })}
    >
      {t(isDead ? "routes.status.unserved" : "routes.status.partly")}
    </StatusChip>
  );
};
