import Notifications from "@mui/icons-material/NotificationsNoneOutlined";
import Badge from "@mui/material/Badge";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import ButtonBase from "@mui/material/ButtonBase";
import IconButton from "@mui/material/IconButton";
import Popover from "@mui/material/Popover";
import Skeleton from "@mui/material/Skeleton";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { lazy, Suspense, useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { StatusChip } from "../../../components/display/StatusChip.tsx";
import { TimeAgo } from "../../../components/display/TimeAgo.tsx";
import { notifyError } from "../../../components/feedback/notify.tsx";
import { Row } from "../../../components/layout.tsx";
import { useOnceOpened } from "../../../components/once-opened.ts";
import { usePathname } from "../../../components/use-address.ts";
import {
  LEVEL_TONE,
  markRead,
  type Received,
  type ReceivedAnnouncement,
  receivedAnnouncements,
} from "./announcement-calls.ts";

/** How many announcements are unread, and the list of them, which another page closes. */
export const Bell = () => {
  const { t } = useTranslation();
  const pathname = usePathname();
  const [opened, setOpened] = useState<Readonly<{ anchor: HTMLElement; pathname: string }> | null>(null);
  const wasOpened = useOnceOpened(opened !== null);
  if (opened && opened.pathname !== pathname) setOpened(null);
  const { data } = useQuery(receivedAnnouncements);
  const unread = data?.unread ?? 0;
  return (
    <>
      <IconButton
        aria-label={unread > 0 ? t("announcements.bellUnread", { count: unread }) : t("announcements.title")}
        aria-haspopup="dialog"
        onClick={(event) => setOpened({ anchor: event.currentTarget, pathname })}
      >
        <Badge badgeContent={unread || null} max={9} color="primary" overlap="circular">
          <Notifications />
        </Badge>
      </IconButton>
      {wasOpened && (
        <Popover
          open={opened !== null}
          anchorEl={opened?.anchor}
          onClose={() => setOpened(null)}
          anchorOrigin={{ vertical: "bottom", horizontal: "right" }}
          transformOrigin={{ vertical: "top", horizontal: "right" }}
          slotProps={{
            paper: {
              role: "dialog",
              "aria-label": t("announcements.title"),
              sx: { mt: 1, width: 400, maxWidth: "calc(100vw - 16px)", maxHeight: "75vh", overflowY: "auto" },
            },
          }}
        >
          <AnnouncementList items={data?.items ?? []} unread={unread} />
        </Popover>
      )}
    </>
  );
};

/** Markdown is only needed once an announcement is opened. */
const Prose = lazy(async () => ({ default: (await import("../../../components/site/Prose.tsx")).Prose }));

/** Announcements, newest first; opening one marks it as read. */
const AnnouncementList = ({ items, unread }: Received) => {
  const { t } = useTranslation();
  const client = useQueryClient();
  const read = useMutation({
    mutationFn: markRead,
    onSuccess: () => client.invalidateQueries({ queryKey: receivedAnnouncements.queryKey }),
    onError: notifyError,
  });
  return (
    <>
      <Row sx={{ px: 4, py: 2, minHeight: 48, borderBottom: "1px solid", borderColor: "line.main" }}>
        <Box component="h2" sx={{ m: 0, flex: 1, fontSize: 14, fontWeight: 620 }}>
          {t("announcements.title")}
        </Box>
        {unread > 0 && (
          <Button size="small" variant="text" loading={read.isPending} onClick={() => read.mutate(undefined)}>
            {t("announcements.readAll")}
          </Button>
        )}
      </Row>
      {items.length === 0 && (
        <Box sx={{ px: 4, py: 8, textAlign: "center", fontSize: 13, color: "text.secondary" }}>
          {t("announcements.none")}
        </Box>
      )}
      <Box component="ul" sx={{ m: 0, p: 0, listStyle: "none" }}>
        {items.map((item) => (
          <Item key={item.id} item={item} onRead={() => read.mutate(item.id)} />
        ))}
      </Box>
    </>
  );
};

const Item = ({ item, onRead }: { item: ReceivedAnnouncement; onRead: () => void }) => {
  const { t } = useTranslation();
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  const toggle = () => {
    if (!isOpen && !item.is_read) onRead();
    setOpen(!isOpen);
  };
  return (
    <Box component="li" sx={{ "& + &": { borderTop: "1px solid", borderColor: "line.faint" } }}>
      <ButtonBase
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={toggle}
        sx={{ width: "100%", px: 4, py: 3, display: "block", textAlign: "left" }}
      >
        <Row gap={2}>
          <StatusChip tone={LEVEL_TONE[item.level] ?? "info"}>{t(`announcements.levels.${item.level}`)}</StatusChip>
          <Box sx={{ flex: 1 }} />
          {!item.is_read && (
            <Box
              role="img"
              aria-label={t("announcements.unread")}
              sx={{ width: 8, height: 8, borderRadius: "50%", bgcolor: "primary.main" }}
            />
          )}
          <Box sx={{ fontSize: 12, color: "text.tertiary" }}>
            <TimeAgo seconds={item.published_at} />
          </Box>
        </Row>
        <Box sx={{ mt: 1.5, fontSize: 13.5, fontWeight: item.is_read ? 450 : 620, overflowWrap: "anywhere" }}>
          {item.title}
        </Box>
      </ButtonBase>
      {isOpen && (
        <Box id={id} sx={{ px: 4, pb: 2 }}>
          <Suspense fallback={<Skeleton height={60} />}>
            <Prose text={item.content} />
          </Suspense>
        </Box>
      )}
    </Box>
  );
};
