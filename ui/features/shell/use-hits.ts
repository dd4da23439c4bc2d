import GroupOutlined from "@mui/icons-material/GroupOutlined";
import HubOutlined from "@mui/icons-material/HubOutlined";
import KeyOutlined from "@mui/icons-material/KeyOutlined";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { channelPage } from "../channels/channel-queries.ts";
import { useSession } from "../session/session.tsx";
import { isAdmin } from "../session/stored-user.ts";
import { tokenPage } from "../tokens/token-queries.ts";
import { isInReach, type User } from "../users/user.ts";
import { userPage } from "../users/user-queries.ts";
import { nameIn } from "./find-targets.ts";
import type { Command } from "./useCommands.ts";

/** Shown of each kind; the lists have the others. */
const FEW = { page: 0, pageSize: 4 };
/** After the last key that was pressed. */
const PAUSE_MS = 200;

/** The channels, users and API keys themselves that what was typed is part of; they come once typing pauses. */
export function useHits(text: string): readonly Command[] {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { user: actor } = useSession();
  const typed = nameIn(text);
  const keyword = usePaused(typed);
  const isAsked = keyword !== "" && keyword === typed;
  const isAskedByAdmin = isAsked && isAdmin(actor);
  const channels = useQuery({ ...channelPage({ keyword, ...FEW }), enabled: isAskedByAdmin }).data;
  const users = useQuery({ ...userPage({ keyword }, FEW.page, FEW.pageSize), enabled: isAskedByAdmin }).data;
  const tokens = useQuery({ ...tokenPage({ keyword, ...FEW }), enabled: isAsked }).data;
  if (!isAsked) return [];
  const openUser = (user: User) =>
    isInReach(user, actor)
      ? navigate({ to: "/user/edit/$id", params: { id: String(user.id) }, search: {} })
      : navigate({ to: "/user", search: { search: user.username } });
  return [
    ...(isAskedByAdmin && channels ? channels.items : []).map(({ id, name }) => ({
      label: t("shell.palette.hit.channel", { name, id }),
      icon: HubOutlined,
      run: () => void navigate({ to: "/channel/edit/$id", params: { id: String(id) }, search: {} }),
    })),
    ...(isAskedByAdmin && users ? users.items : []).map((user) => ({
      label: t("shell.palette.hit.user", { name: user.username, id: user.id }),
      icon: GroupOutlined,
      run: () => void openUser(user),
    })),
    ...(tokens?.items ?? []).map(({ id, name }) => ({
      label: t("shell.palette.hit.token", { name, id }),
      icon: KeyOutlined,
      run: () => void navigate({ to: "/token", search: { search: name } }),
    })),
  ];
}

/** A text as it was when it last stayed the same for a moment. */
function usePaused(text: string): string {
  const [paused, setPaused] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setPaused(text), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return paused;
}
