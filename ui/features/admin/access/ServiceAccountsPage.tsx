import Add from "@mui/icons-material/AddOutlined";
import Delete from "@mui/icons-material/DeleteOutlineOutlined";
import Edit from "@mui/icons-material/EditOutlined";
import Robot from "@mui/icons-material/SmartToyOutlined";
import Rotate from "@mui/icons-material/SyncOutlined";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import Dialog from "@mui/material/Dialog";
import DialogActions from "@mui/material/DialogActions";
import DialogContent from "@mui/material/DialogContent";
import DialogTitle from "@mui/material/DialogTitle";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useId, useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import type { Column } from "../../../components/data-table/column.ts";
import { DataTable } from "../../../components/data-table/DataTable.tsx";
import { useDataTable } from "../../../components/data-table/use-data-table.ts";
import { CopyButton } from "../../../components/display/CopyButton.tsx";
import { StatusChip } from "../../../components/display/StatusChip.tsx";
import { TimeAgo } from "../../../components/display/TimeAgo.tsx";
import { useConfirm } from "../../../components/feedback/confirm.tsx";
import { EmptyState } from "../../../components/feedback/EmptyState.tsx";
import { notifyDone, notifyError } from "../../../components/feedback/notify.tsx";
import { PageHeader, Row } from "../../../components/layout.tsx";
import { ServiceAccountDrawer } from "./ServiceAccountDrawer.tsx";
import {
  deleteServiceAccount,
  rotateServiceToken,
  type ServiceAccount,
  serviceAccounts,
} from "./service-account-calls.ts";

/** Whether the token has expired. */
const isExpired = ({ expires_time: expires }: ServiceAccount): boolean =>
  expires > 0 && expires <= Math.floor(Date.now() / 1000);

/** The columns of the list of service accounts. */
function useServiceAccountColumns(): readonly Column<ServiceAccount>[] {
  const { t } = useTranslation();
  return useMemo(
    () => [
      { key: "name", head: t("access.accounts.columns.name"), isTitle: true, cell: ({ name }) => name },
      {
        key: "rights",
        head: t("access.rights.title"),
        cell: ({ rights }) => <code>{rights.join(", ")}</code>,
      },
      {
        key: "token",
        head: t("access.accounts.columns.token"),
        width: 96,
        cell: ({ token_end }) => <code>…{token_end}</code>,
      },
      {
        key: "expires",
        head: t("access.accounts.columns.expires"),
        width: 132,
        isSolid: true,
        cell: (account) =>
          isExpired(account) ? (
            <StatusChip tone="bad">{t("access.accounts.expired")}</StatusChip>
          ) : account.expires_time === 0 ? (
            t("access.accounts.never")
          ) : (
            <TimeAgo seconds={account.expires_time} />
          ),
      },
      {
        key: "used",
        head: t("access.accounts.columns.used"),
        width: 132,
        cell: ({ last_used_time }) => (last_used_time === 0 ? "–" : <TimeAgo seconds={last_used_time} />),
      },
      {
        key: "creator",
        head: t("access.accounts.columns.creator"),
        width: 132,
        cell: ({ created_by }) => created_by || "–",
      },
      {
        key: "created",
        head: t("access.accounts.columns.created"),
        width: 132,
        cell: ({ created_time }) => <TimeAgo seconds={created_time} />,
      },
    ],
    [t],
  );
}

type TokenDialogProps = Readonly<{ title: string; token: string; onClose: () => void }>;

/** A token that was just created: it is shown this once. */
const TokenDialog = ({ title, token, onClose }: TokenDialogProps) => {
  const { t } = useTranslation();
  const id = useId();
  return (
    <Dialog open onClose={onClose} aria-labelledby={id} fullWidth maxWidth="sm">
      <DialogTitle id={id} sx={{ fontSize: 16, fontWeight: 620, pb: 1 }}>
        {title}
      </DialogTitle>
      <DialogContent>
        <Box sx={{ fontSize: 13, color: "text.secondary", mb: 4 }}>{t("access.token.once")}</Box>
        <Row gap={2} sx={{ p: 3, border: "1px solid", borderColor: "line.main", borderRadius: 1 }}>
          <Box component="code" sx={{ flex: 1, minWidth: 0, overflowWrap: "anywhere" }}>
            {token}
          </Box>
          <CopyButton text={token} label={t("access.token.copy")} />
        </Row>
      </DialogContent>
      <DialogActions sx={{ px: 6, pb: 4 }}>
        <Button variant="contained" color="primary" onClick={onClose}>
          {t("access.token.done")}
        </Button>
      </DialogActions>
    </Dialog>
  );
};

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
  const confirm = useConfirm();
  const run = async (work: () => Promise<unknown>) => {
    try {
      await work();
    } catch (error) {
      notifyError(error);
    } finally {
      void client.invalidateQueries(serviceAccounts);
    }
  };
  return {
    rotate: async ({ id, name }: ServiceAccount) => {
      const isSure = await confirm({
        title: t("access.accounts.rotateTitle", { name }),
        body: t("access.accounts.rotateBody"),
        action: t("access.accounts.rotate"),
        isDangerous: true,
      });
      if (isSure) await run(async () => onToken(name, (await rotateServiceToken(id)).token));
    },
    remove: async ({ id, name }: ServiceAccount) => {
      const isSure = await confirm({
        title: t("access.accounts.deleteTitle", { name }),
        body: t("access.accounts.deleteBody"),
        action: t("access.accounts.delete"),
        isDangerous: true,
      });
      if (!isSure) return;
      await run(async () => {
        await deleteServiceAccount(id);
        notifyDone(t("access.accounts.deleted", { name }));
      });
    },
  };
}
