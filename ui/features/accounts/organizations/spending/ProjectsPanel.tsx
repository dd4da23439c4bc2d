import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { Organization } from "../../../../api/accounts/organization-calls.ts";
import {
  createProject,
  deleteProject,
  type Project,
  projects,
  renameProject,
} from "../../../../api/accounts/spending-calls.ts";
import { useActing } from "../../../../api/accounts/use-organization.ts";
import { Money } from "../../../../components/display/Money.tsx";
import { ResourceForm } from "../../../../components/form/ResourceForm.tsx";
import { ResourcePanel } from "../ResourcePanel.tsx";

/** The projects that group the organization's keys. */
export const ProjectsPanel = ({ organization: { id } }: { organization: Organization }) => {
  const { t } = useTranslation();
  const client = useQueryClient();
  const { may } = useActing();
  const { data, error, refetch } = useQuery(projects(id));
  return (
    <ResourcePanel
      text={(name) => `organizations.projects.${name}`}
      rows={data}
      error={error}
      onRetry={() => void refetch()}
      isManager={may("projects.manage")}
      change={t("organizations.projects.rename")}
      skeletonHeight={40}
      heading={({ name }) => name}
      body={(project) => (
        <>
          {t("organizations.projects.keys", { count: project.keys })} · {t("organizations.projects.used")}{" "}
          <Money quota={project.used_quota} />
        </>
      )}
      remove={(project) => deleteProject(id, project)}
      reload={() => client.invalidateQueries({ queryKey: ["organization", id] })}
      dialog={(project, onClose) => <ProjectDialog id={id} project={project} onClose={onClose} />}
    />
  );
};

type DialogProps = { id: number; project: Project | null; onClose: () => void };

const ProjectDialog = ({ id, project, onClose }: DialogProps) => {
  const { t } = useTranslation();
  return (
    <ResourceForm
      as="dialog"
      title={t(project ? "organizations.projects.renameTitle" : "organizations.projects.create")}
      action={t(project ? "organizations.projects.save" : "organizations.projects.create")}
      isNew={project === null}
      text={(name) => `organizations.${name}`}
      initial={{ name: project?.name ?? "" }}
      isComplete={({ name }) => name.trim() !== ""}
      rejectedField={() => "name"}
      save={async ({ name }) => {
        await (project ? renameProject(id, project.id, name) : createProject(id, name));
        return t("organizations.projects.saved", { name: name.trim() });
      }}
      reload={[{ queryKey: ["organization", id] }]}
      sections={() => [{ fields: [{ kind: "text", field: "name", autoFocus: true }] }]}
      onClose={onClose}
    />
  );
};
