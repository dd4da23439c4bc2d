import { useNavigate } from "@tanstack/react-router";
import { useAtomValue } from "jotai";
import { useMemo } from "react";
import { ListPage } from "../../../components/page/list/ListPage.tsx";
import { usePathname } from "../../../components/use-address.ts";
import { drawerOf } from "../channel.ts";
import { byTagAtom } from "../tags/tag-rows.ts";
import { ChannelDrawer } from "./ChannelDrawer.tsx";
import { channelsOf } from "./channel-list.tsx";
import { idSortAtom } from "./use-channel-data.tsx";

/** The list of channels, and the drawer that the path names. */
export const ChannelListPage = () => {
  const navigate = useNavigate();
  const drawer = drawerOf(usePathname());
  const [byTag, idSort] = [useAtomValue(byTagAtom), useAtomValue(idSortAtom)];
  return (
    <>
      <ListPage list={useMemo(() => channelsOf({ byTag, idSort }), [byTag, idSort])} />
      {drawer && (
        <ChannelDrawer key={drawer.id} id={drawer.id} onClose={() => void navigate({ to: "/channel", search: true })} />
      )}
    </>
  );
};
