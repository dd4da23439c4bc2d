import Notifications from "@mui/icons-material/NotificationsNoneOutlined";
import Badge from "@mui/material/Badge";
import IconButton from "@mui/material/IconButton";
import Popover from "@mui/material/Popover";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { AnnouncementList } from "./AnnouncementList.tsx";
import { receivedAnnouncements } from "./announcement-calls.ts";

/** How many announcements are unread, and the list of them. */
export const Bell = () => {
  const { t } = useTranslation();
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  const { data } = useQuery(receivedAnnouncements);
  const unread = data?.unread ?? 0;
  return (
    <>
      <IconButton
        aria-label={unread > 0 ? t("announcements.bellUnread", { count: unread }) : t("announcements.title")}
        aria-haspopup="dialog"
        onClick={(event) => setAnchor(event.currentTarget)}
      >
        <Badge badgeContent={unread || null} max={9} color="primary" overlap="circular">
          <Notifications />
        </Badge>
      </IconButton>
      <Popover
        open={anchor !== null}
        anchorEl={anchor}
        onClose={() => setAnchor(null)}
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
    </>
  );
};
