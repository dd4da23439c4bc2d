import Button from "@mui/material/Button";
import Skeleton from "@mui/material/Skeleton";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { ErrorState } from "../../components/ErrorState.tsx";
import { SideDrawer } from "../../components/SideDrawer.tsx";
import { UserFormDrawer } from "./UserFormDrawer.tsx";
import { userById } from "./user-queries.ts";

/** Adds a user (id null), or edits one once it is read. */
export const UserDrawer = ({ id, onClose }: { id: number | null; onClose: () => void }) =>
  id === null ? <UserFormDrawer user={null} onClose={onClose} /> : <EditDrawer id={id} onClose={onClose} />;

const EditDrawer = ({ id, onClose }: { id: number; onClose: () => void }) => {
  const { t } = useTranslation();
  const user = useQuery({ ...userById(id), staleTime: Number.POSITIVE_INFINITY });
  if (user.data) return <UserFormDrawer user={user.data} onClose={onClose} />;
  return (
    <SideDrawer
      title={t("users.form.editTitle", { name: `#${id}` })}
      onClose={onClose}
      footer={(close) => <Button onClick={close}>{t("components.close")}</Button>}
    >
      {user.error ? (
        <ErrorState error={user.error} onRetry={() => user.refetch()} />
      ) : (
        <Skeleton variant="rounded" height={320} />
      )}
    </SideDrawer>
  );
};
