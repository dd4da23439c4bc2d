import Add from "@mui/icons-material/AddOutlined";
import Campaign from "@mui/icons-material/CampaignOutlined";
import Delete from "@mui/icons-material/DeleteOutlineOutlined";
import Edit from "@mui/icons-material/EditOutlined";
import Button from "@mui/material/Button";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { WALLET_KEY } from "../../../api/accounts/wallet-key.ts";
import { readData } from "../../../api/client.ts";
import { announcementApi } from "../../../api/groups.ts";
import type { Column } from "../../../components/data-table/column.ts";
import { PagedTable } from "../../../components/data-table/PagedTable.tsx";
import { StatusChip } from "../../../components/display/StatusChip.tsx";
import { TimeAgo } from "../../../components/display/TimeAgo.tsx";
import { useConfirm } from "../../../components/feedback/confirm.tsx";
import { EmptyState } from "../../../components/feedback/EmptyState.tsx";
import { notifyDone, notifyError } from "../../../components/feedback/notify.tsx";
import { Col, Row } from "../../../components/layout.tsx";
import { AnnouncementDialog } from "../../notifications/announcements/AnnouncementDialog.tsx";
import {
  type AnnouncementView,
  deleteAnnouncement,
  LEVEL_TONE,
  receivedAnnouncements,
} from "../../notifications/announcements/announcement-calls.ts";

/** Creates, edits and deletes announcements. */
export const AnnouncementsPanel = () => {
  const { t } = useTranslation();
  const client = useQueryClient();
  const confirm = useConfirm();
  const [open, setOpen] = useState<{ stored: AnnouncementView | null } | null>(null);
  const remove = async ({ id, title }: AnnouncementView) => {
    const isSure = await confirm({
      title: t("announcements.form.deleteTitle", { title }),
      body: t("announcements.form.deleteBody"),
      action: t("announcements.form.delete"),
      isDangerous: true,
    });
    if (!isSure) return;
    try {
      await deleteAnnouncement(id);
      notifyDone(t("announcements.form.deleted"));
    } catch (error) {
      notifyError(error);
    }
    void client.invalidateQueries({ queryKey: WALLET_KEY });
    void client.invalidateQueries({ queryKey: receivedAnnouncements.queryKey });
  };
  const columns: Column<AnnouncementView>[] = [
    { key: "title", head: t("announcements.form.title"), isTitle: true, cell: ({ title }) => title },
    {
      key: "level",
      head: t("announcements.form.level"),
      width: 120,
      isSolid: true,
      cell: ({ level }) => (
        <StatusChip tone={LEVEL_TONE[level] ?? "info"}>{t(`announcements.levels.${level}`)}</StatusChip>
      ),
    },
    {
      key: "time",
      head: t("announcements.form.time"),
      width: 140,
      cell: ({ published_at }) => <TimeAgo seconds={published_at} />,
    },
  ];
  return (
    <Col gap={4} sx={{ mt: 6, pt: 4, borderTop: "1px dashed", borderColor: "line.main" }}>
      <Row>
        <Button startIcon={<Add />} onClick={() => setOpen({ stored: null })}>
          {t("announcements.form.add")}
        </Button>
      </Row>
      <PagedTable<AnnouncementView>
        name="announcements"
        read={(query, signal) => readData(announcementApi.all.get({ query, fetch: { signal } }))}
        columns={columns}
        rowId={({ id }) => id}
        rowName={({ title }) => title}
        unit={t("announcements.unit")}
        empty={<EmptyState icon={<Campaign />} title={t("announcements.none")} body={t("announcements.form.empty")} />}
        actions={(stored) => [
          { label: t("announcements.form.edit"), icon: <Edit />, onSelect: () => setOpen({ stored }) },
          {
            label: t("announcements.form.delete"),
            icon: <Delete />,
            onSelect: () => void remove(stored),
            isDangerous: true,
          },
        ]}
        onOpen={(stored) => setOpen({ stored })}
      />
      {open && <AnnouncementDialog stored={open.stored} onClose={() => setOpen(null)} />}
    </Col>
  );
};
