ALTER TABLE "tokens" ADD COLUMN "previous_secret_since" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "organization_members" ADD COLUMN "withheld" text[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
UPDATE "service_accounts" SET "rights" = "rights" || '{organization_usage:read,organization_requests:read,organization_audit:read,organization_exports:read}'::text[] WHERE "rights" && '{organizations:read,organizations:write}'::text[];
