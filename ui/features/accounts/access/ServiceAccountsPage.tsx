import Add from "@mui/icons-material/AddOutlined";
import Delete from "@mui/icons-material/DeleteOutlineOutlined";
import Edit from "@mui/icons-material/EditOutlined";
import Robot from "@mui/icons-material/SmartToyOutlined";
import Rotate from "@mui/icons-material/SyncOutlined";
import Button from "@mui/material/Button";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { DataTable } from "../../../components/data-table/DataTable.tsx";
import { useDataTable } from "../../../components/data-table/use-data-table.ts";
import { EmptyState } from "../../../components/feedback/EmptyState.tsx";
import { useAction } from "../../../components/feedback/use-action.ts";
import { PageHeader } from "../../../components/layout.tsx";
import { deleteServiceAccount, rotateServiceToken, type ServiceAccount, serviceAccounts } from "./access-calls.ts";
import { ServiceAccountDrawer } from "./ServiceAccountDrawer.tsx";
import { isExpired, useServiceAccountColumns } from "./service-account-columns.tsx";
import { TokenDialog } from "./TokenDialog.tsx";

/** Accounts of programs that call the management API. */
export const ServiceAccountsPage = () => {
  const { t } = useTranslation();
  const list = useQuery(serviceAccounts);
  const [opened, setOpened] = useState<{ account: ServiceAccount | null } | null>(null);
  const [issued, setIssued] = useState<{ name: string; token: string } | null>(null);
  const { rotate, remove } = useAccountActions((name, token) => setIssued({ name, token }));
  const model = useDataTable({
    columns: useServiceAccountColumns(),
    rows: list.data,
    rowId: ({ id }) => id,
    rowName: ({ name }) => name,
    actions: (account) => [
      { label: t("access.accounts.edit"), icon: <Edit />, onSelect: () => setOpened({ account }) },
      { label: t("access.accounts.rotate"), icon: <Rotate />, onSelect: () => void rotate(account) },
      {
        label: t("access.accounts.delete"),
        icon: <Delete />,
        onSelect: () => void remove(account),
        isDangerous: true,
      },
    ],
  });
  const add = (
    <Button variant="contained" color="primary" startIcon={<Add />} onClick={() => setOpened({ account: null })}>
      {t("access.accounts.add")}
    </Button>
  );
  return (
    <>
      <PageHeader title={t("access.accounts.title")} purpose={t("access.accounts.purpose")} actions={add} />
      <DataTable
        model={model}
        error={list.error}
        onRetry={() => void list.refetch()}
        onOpen={(account) => setOpened({ account })}
        isDim={isExpired}
        empty={
          <EmptyState
            icon={<Robot />}
            title={t("access.accounts.empty.title")}
            body={t("access.accounts.empty.body")}
            action={add}
          />
        }
      />
      {opened && (
        <ServiceAccountDrawer
          account={opened.account}
          onClose={() => setOpened(null)}
          onCreated={(name, token) => setIssued({ name, token })}
        />
      )}
      {issued && (
        <TokenDialog
          title={t("access.accounts.tokenTitle", { name: issued.name })}
          token={issued.token}
          onClose={() => setIssued(null)}
        />
      )}
    </>
  );
};

function useAccountActions(onToken: (name: string, token: string) => void) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const act = useAction(() => client.invalidateQueries(serviceAccounts));
  return {
    rotate: ({ id, name }: ServiceAccount) =>
      act({
        question: {
          title: t("access.accounts.rotateTitle", { name }),
          body: t("access.accounts.rotateBody"),
          action: t("access.accounts.rotate"),
          isDangerous: true,
        },
        work: async () => onToken(name, (await rotateServiceToken(id)).token),
      }),
    remove: ({ id, name }: ServiceAccount) =>
      act({
        question: {
          title: t("access.accounts.deleteTitle", { name }),
          body: t("access.accounts.deleteBody"),
          action: t("access.accounts.delete"),
          isDangerous: true,
        },
        work: () => deleteServiceAccount(id),
        done: () => t("access.accounts.deleted", { name }),
      }),
  };
}
