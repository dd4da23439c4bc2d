CREATE TABLE "sign_in_origins" (
	"user_id" integer NOT NULL,
	"origin" text NOT NULL,
	"last_used_at" bigint NOT NULL,
	CONSTRAINT "sign_in_origins_user_id_origin_pk" PRIMARY KEY("user_id","origin")
);
--> statement-breakpoint
ALTER TABLE "organization_members" ADD COLUMN "funded" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "sign_in_origins" ADD CONSTRAINT "sign_in_origins_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "sign_in_origins_last_used_idx" ON "sign_in_origins" USING btree ("last_used_at");