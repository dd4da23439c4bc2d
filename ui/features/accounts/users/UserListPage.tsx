import { useNavigate } from "@tanstack/react-router";
import { ListPage } from "../../../components/page/list/ListPage.tsx";
import { usePathname } from "../../../components/use-address.ts";
import { UserDrawer } from "./UserFormDrawer.tsx";
import { drawerOf } from "./user.ts";
import { USERS } from "./user-list.tsx";

/** The list of users, and the drawer that the path names. */
export const UserListPage = () => {
  const navigate = useNavigate();
  const drawer = drawerOf(usePathname());
  return (
    <>
      <ListPage list={USERS} />
      {drawer && (
        <UserDrawer key={drawer.id} id={drawer.id} onClose={() => void navigate({ to: "/user", search: true })} />
      )}
    </>
  );
};
