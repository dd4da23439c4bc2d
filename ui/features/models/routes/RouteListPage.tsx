import Add from "@mui/icons-material/AddOutlined";
import Explain from "@mui/icons-material/AltRouteOutlined";
import Block from "@mui/icons-material/BlockOutlined";
import Split from "@mui/icons-material/CallSplitOutlined";
import Check from "@mui/icons-material/CheckCircleOutlineOutlined";
import Delete from "@mui/icons-material/DeleteOutlineOutlined";
import Edit from "@mui/icons-material/EditOutlined";
import Button from "@mui/material/Button";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { DataTable } from "../../../components/data-table/DataTable.tsx";
import { useLocalPaging } from "../../../components/data-table/url-state.ts";
import { useDataTable } from "../../../components/data-table/use-data-table.ts";
import { EmptyState } from "../../../components/feedback/EmptyState.tsx";
import { FilterBar } from "../../../components/inputs/FilterBar.tsx";
import { PageHeader, usePhone } from "../../../components/layout.tsx";
import { useAddress } from "../../../components/use-address.ts";
import { RouteDrawer } from "./RouteDrawer.tsx";
import { type RouteView, routes } from "./route-calls.ts";
import { useRouteColumns } from "./route-columns.tsx";
import { useRouteActions } from "./use-route-actions.ts";

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
