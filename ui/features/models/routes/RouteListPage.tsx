import Add from "@mui/icons-material/AddOutlined";
import Explain from "@mui/icons-material/AltRouteOutlined";
import Block from "@mui/icons-material/BlockOutlined";
import Split from "@mui/icons-material/CallSplitOutlined";
import Check from "@mui/icons-material/CheckCircleOutlineOutlined";
import Delete from "@mui/icons-material/DeleteOutlineOutlined";
import Edit from "@mui/icons-material/EditOutlined";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import type { TFunction } from "i18next";
import { useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import type { Column } from "../../../components/data-table/column.ts";
import { DataTable } from "../../../components/data-table/DataTable.tsx";
import { useLocalPaging } from "../../../components/data-table/url-state.ts";
import { useDataTable } from "../../../components/data-table/use-data-table.ts";
import { StatusChip } from "../../../components/display/StatusChip.tsx";
import { Tag } from "../../../components/display/Tag.tsx";
import { useConfirm } from "../../../components/feedback/confirm.tsx";
import { EmptyState } from "../../../components/feedback/EmptyState.tsx";
import { notifyDone, notifyError } from "../../../components/feedback/notify.tsx";
import { FilterBar } from "../../../components/inputs/FilterBar.tsx";
import { PageHeader, Row, usePhone } from "../../../components/layout.tsx";
import { useAddress } from "../../../components/use-address.ts";
import { countConditions } from "./candidate-form.ts";
import { RouteDrawer } from "./RouteDrawer.tsx";
import { definitionOf, deleteRoute, type RouteView, routes, updateRoute } from "./route-calls.ts";

/** The columns of the list of routes. */
function useRouteColumns(): readonly Column<RouteView>[] {
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
      reason={t("routes.statusReason", { models: unserved.join(t("explain.comma")) })}
    >
      {t(isDead ? "routes.status.unserved" : "routes.status.partly")}
    </StatusChip>
  );
};

const NO_ROUTES: readonly RouteView[] = [];

/** Named routes: model names that stand for several models. All are loaded at once. */
export const RouteListPage = () => {
  const { t } = useTranslation();
  const isPhone = usePhone();
  const navigate = useNavigate();
  const address = useAddress();
  const search = address.text("search");
  const [opened, setOpened] = useState<{ route: RouteView | null } | null>(null);
  const { data, error, refetch } = useQuery(routes);
  const actions = useRouteActions();
  const columns = useRouteColumns();
  const found = (data ?? NO_ROUTES).filter((route) => matches(route, search));
  const { shown, paging } = useLocalPaging(found, t("routes.unit"), address);
  const model = useDataTable({
    columns,
    rows: data && shown,
    rowId: nameOf,
    rowName: nameOf,
    actions: (route) => [
      { label: t("routes.edit"), icon: <Edit />, onSelect: () => setOpened({ route }) },
      {
        label: t("routes.explain"),
        icon: <Explain />,
        onSelect: () => void navigate({ to: "/router", search: { model: route.name } }),
      },
      {
        label: t(route.enabled === false ? "routes.enable" : "routes.disable"),
        icon: route.enabled === false ? <Check /> : <Block />,
        onSelect: () => void actions.toggle(route),
      },
      { label: t("routes.delete"), icon: <Delete />, onSelect: () => void actions.remove(route), isDangerous: true },
    ],
    columnsKey: "routes-table-columns",
  });
  const add = (
    <Button variant="contained" color="primary" startIcon={<Add />} onClick={() => setOpened({ route: null })}>
      {t(isPhone ? "routes.addShort" : "routes.add")}
    </Button>
  );
  return (
    <>
      <PageHeader title={t("routes.title")} purpose={t("routes.purpose")} actions={add} />
      <FilterBar
        search={{ value: search, placeholder: t("routes.search") }}
        filters={[]}
        onChange={(key, value) => address.set({ [key]: value, p: undefined })}
        onClear={address.clear}
      />
      <DataTable
        model={model}
        error={error}
        onRetry={() => refetch()}
        empty={
          <EmptyState
            icon={<Split />}
            title={t(search ? "routes.empty.filteredTitle" : "routes.empty.title")}
            body={t(search ? "routes.empty.filteredBody" : "routes.empty.body")}
            action={search ? <Button onClick={address.clear}>{t("components.filter.clear")}</Button> : add}
          />
        }
        paging={paging}
        onOpen={(route) => setOpened({ route })}
        isDim={({ enabled }) => enabled === false}
      />
      {opened && (
        <RouteDrawer
          route={opened.route}
          taken={(data ?? NO_ROUTES).map(nameOf).filter((name) => name !== opened.route?.name)}
          onClose={() => setOpened(null)}
        />
      )}
    </>
  );
};

const nameOf = ({ name }: RouteView) => name;

function matches({ name, description = "", candidates = [] }: RouteView, search: string): boolean {
  const text = search.trim().toLowerCase();
  const texts = [name, description, ...candidates.map(({ model = "" }) => model)];
  return texts.some((each) => each.toLowerCase().includes(text));
}

/** Actions on a route of the list. */
function useRouteActions() {
  const { t } = useTranslation();
  const client = useQueryClient();
  const confirm = useConfirm();
  const run = async (work: () => Promise<unknown>, done: string) => {
    try {
      await work();
      notifyDone(done);
    } catch (error) {
      notifyError(error);
    } finally {
      void client.invalidateQueries(routes);
    }
  };
  return {
    toggle: (route: RouteView) => {
      const { name, enabled = true } = route;
      const change = () => updateRoute(name, name, { ...definitionOf(route), enabled: !enabled });
      return run(change, t(enabled ? "routes.disabledToast" : "routes.enabledToast", { name }));
    },
    remove: async ({ name }: RouteView) => {
      const question = {
        title: t("routes.deleteTitle", { name }),
        body: t("routes.deleteBody"),
        action: t("routes.deleteAction"),
        isDangerous: true,
      };
      if (await confirm(question)) await run(() => deleteRoute(name), t("routes.deletedToast", { name }));
    },
  };
}
