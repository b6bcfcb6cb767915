import { derivedSuite } from '../support/histories/derived-suite.ts';
import { onSqlite } from '../support/histories/sqlite-reads.ts';

derivedSuite('SQLite, long histories', onSqlite, { runs: 40, actions: 150 }).run();
