-- A file at revision 0003, as made by the code of fafbfcd.
CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL PRIMARY KEY);
CREATE TABLE api_key (
	id VARCHAR(36) NOT NULL,
	name VARCHAR(255) NOT NULL,
	hash VARCHAR(64) NOT NULL,
	hint VARCHAR(16) NOT NULL,
	user_id VARCHAR(36),
	created_at BIGINT NOT NULL,
	last_used_at BIGINT,
	PRIMARY KEY (id),
	UNIQUE (hash)
);
CREATE TABLE connection (
	id VARCHAR(36) NOT NULL,
	user_id VARCHAR(36) NOT NULL,
	app_key VARCHAR(255) NOT NULL,
	screen_name VARCHAR(255) DEFAULT '' NOT NULL,
	formatted_data TEXT DEFAULT '{}' NOT NULL,
	verified BOOLEAN DEFAULT 0 NOT NULL,
	health VARCHAR(24) DEFAULT 'never_tested' NOT NULL,
	reason TEXT,
	tested_at BIGINT,
	created_at BIGINT NOT NULL,
	updated_at BIGINT NOT NULL,
	deleted_at BIGINT,
	account VARCHAR(255),
	expires_at BIGINT,
	rate_limit TEXT,
	PRIMARY KEY (id),
	FOREIGN KEY(user_id) REFERENCES user (id)
);
CREATE TABLE datastore (
	flow_id VARCHAR(36) NOT NULL,
	"key" VARCHAR(255) NOT NULL,
	value TEXT,
	updated_at BIGINT NOT NULL,
	PRIMARY KEY (flow_id, "key")
);
CREATE TABLE execution (
	id VARCHAR(36) NOT NULL,
	flow_id VARCHAR(36) NOT NULL,
	flow_version INTEGER,
	status VARCHAR(16) NOT NULL,
	internal_id VARCHAR(255),
	priority INTEGER DEFAULT '0' NOT NULL,
	cursor INTEGER DEFAULT '0' NOT NULL,
	steps_done INTEGER DEFAULT '0' NOT NULL,
	steps_total INTEGER DEFAULT '0' NOT NULL,
	wake_at BIGINT,
	run_token VARCHAR(36),
	attempts INTEGER DEFAULT '0' NOT NULL,
	test_run BOOLEAN DEFAULT 0 NOT NULL,
	note TEXT,
	created_at BIGINT NOT NULL,
	updated_at BIGINT NOT NULL,
	started_at BIGINT,
	finished_at BIGINT,
	waits_for VARCHAR(8),
	origin_id VARCHAR(36),
	origin_kind VARCHAR(8),
	origin_seq INTEGER,
	run_key VARCHAR(36),
	PRIMARY KEY (id),
	CONSTRAINT execution_event UNIQUE (flow_id, internal_id)
);
CREATE TABLE execution_step (
	execution_id VARCHAR(36) NOT NULL,
	seq INTEGER NOT NULL,
	attempt INTEGER NOT NULL,
	step_id VARCHAR(36) NOT NULL,
	status VARCHAR(16) NOT NULL,
	input TEXT,
	output TEXT,
	error TEXT,
	started_at BIGINT,
	finished_at BIGINT,
	warnings TEXT,
	path VARCHAR(64),
	PRIMARY KEY (execution_id, seq, attempt)
);
CREATE TABLE flow (
	id VARCHAR(36) NOT NULL,
	user_id VARCHAR(36) NOT NULL,
	folder_id VARCHAR(36),
	name VARCHAR(255) NOT NULL,
	active BOOLEAN DEFAULT 0 NOT NULL,
	execution_interval INTEGER DEFAULT '15' NOT NULL,
	published_version INTEGER,
	has_unpublished_edits BOOLEAN DEFAULT 0 NOT NULL,
	settings TEXT DEFAULT '{}' NOT NULL,
	paused_at BIGINT,
	paused_reason TEXT,
	streak_from BIGINT,
	created_at BIGINT NOT NULL,
	updated_at BIGINT NOT NULL,
	deleted_at BIGINT,
	PRIMARY KEY (id),
	FOREIGN KEY(user_id) REFERENCES user (id),
	FOREIGN KEY(folder_id) REFERENCES folder (id) ON DELETE SET NULL
);
CREATE TABLE flow_version (
	flow_id VARCHAR(36) NOT NULL,
	number INTEGER NOT NULL,
	name VARCHAR(255) NOT NULL,
	steps TEXT NOT NULL,
	created_at BIGINT NOT NULL,
	PRIMARY KEY (flow_id, number),
	FOREIGN KEY(flow_id) REFERENCES flow (id)
);
CREATE TABLE folder (
	id VARCHAR(36) NOT NULL,
	user_id VARCHAR(36) NOT NULL,
	name VARCHAR(255) NOT NULL,
	created_at BIGINT NOT NULL,
	updated_at BIGINT NOT NULL,
	PRIMARY KEY (id),
	FOREIGN KEY(user_id) REFERENCES user (id)
);
CREATE TABLE meta (
	"key" VARCHAR(64) NOT NULL,
	value TEXT NOT NULL,
	PRIMARY KEY ("key")
);
CREATE TABLE secret (
	connection_id VARCHAR(36) NOT NULL,
	format INTEGER NOT NULL,
	key_id VARCHAR(36) NOT NULL,
	nonce BLOB NOT NULL,
	ciphertext BLOB NOT NULL,
	PRIMARY KEY (connection_id),
	FOREIGN KEY(connection_id) REFERENCES connection (id)
);
CREATE TABLE seen_event (
	flow_id VARCHAR(36) NOT NULL,
	internal_id VARCHAR(255) NOT NULL,
	PRIMARY KEY (flow_id, internal_id)
)
 WITHOUT ROWID;
CREATE TABLE sign_in (
	id VARCHAR(36) NOT NULL,
	app_key VARCHAR(255) NOT NULL,
	connection_id VARCHAR(36),
	state_hash VARCHAR(64),
	created_at BIGINT NOT NULL,
	expires_at BIGINT NOT NULL,
	answered_at BIGINT,
	format INTEGER NOT NULL,
	key_id VARCHAR(36) NOT NULL,
	nonce BLOB NOT NULL,
	ciphertext BLOB NOT NULL,
	PRIMARY KEY (id),
	UNIQUE (state_hash)
);
CREATE TABLE step (
	id VARCHAR(36) NOT NULL,
	flow_id VARCHAR(36) NOT NULL,
	type VARCHAR(16) NOT NULL,
	structural_type VARCHAR(16) DEFAULT 'single' NOT NULL,
	parent_step_id VARCHAR(36),
	"key" VARCHAR(255),
	name VARCHAR(255),
	app_key VARCHAR(255),
	connection_id VARCHAR(36),
	status VARCHAR(16) DEFAULT 'incomplete' NOT NULL,
	tested VARCHAR(16),
	position INTEGER NOT NULL,
	parameters TEXT DEFAULT '{}' NOT NULL,
	continue_on_error BOOLEAN DEFAULT 0 NOT NULL,
	policy TEXT DEFAULT '{}' NOT NULL,
	branch_conditions TEXT,
	created_at BIGINT NOT NULL,
	updated_at BIGINT NOT NULL,
	deleted_at BIGINT,
	PRIMARY KEY (id),
	FOREIGN KEY(flow_id) REFERENCES flow (id)
);
CREATE TABLE template (
	id VARCHAR(36) NOT NULL,
	name VARCHAR(255) NOT NULL,
	description TEXT DEFAULT '' NOT NULL,
	category VARCHAR(64) DEFAULT '' NOT NULL,
	flow_data TEXT NOT NULL,
	created_at BIGINT NOT NULL,
	updated_at BIGINT NOT NULL,
	PRIMARY KEY (id)
);
CREATE TABLE trigger_state (
	flow_id VARCHAR(36) NOT NULL,
	cursor TEXT DEFAULT '{}' NOT NULL,
	next_due_at BIGINT,
	PRIMARY KEY (flow_id),
	FOREIGN KEY(flow_id) REFERENCES flow (id)
);
CREATE TABLE user (
	id VARCHAR(36) NOT NULL,
	full_name VARCHAR(255) NOT NULL,
	email VARCHAR(255) NOT NULL,
	status VARCHAR(16) DEFAULT 'active' NOT NULL,
	created_at BIGINT NOT NULL,
	updated_at BIGINT NOT NULL,
	deleted_at BIGINT,
	PRIMARY KEY (id),
	UNIQUE (email)
);
CREATE INDEX connection_app ON connection (app_key);
CREATE INDEX execution_flow ON execution (flow_id, created_at, id);
CREATE INDEX execution_newest ON execution (created_at, id);
CREATE INDEX execution_origin ON execution (origin_id) WHERE origin_id IS NOT NULL;
CREATE INDEX execution_queued ON execution (created_at) WHERE status = 'queued';
CREATE INDEX execution_status ON execution (status, created_at, id);
CREATE INDEX execution_step_sample ON execution_step (step_id, finished_at) WHERE status = 'success';
CREATE INDEX execution_waiting ON execution (wake_at) WHERE status = 'waiting';
CREATE INDEX flow_folder ON flow (folder_id);
CREATE INDEX flow_list ON flow (deleted_at, active, updated_at);
CREATE INDEX step_connection ON step (connection_id);
CREATE INDEX step_flow ON step (flow_id, position);
INSERT INTO alembic_version VALUES ('0003');
