import { figuresSuite } from '../support/histories/figures-suite.ts';
import { onSqlite } from '../support/histories/sqlite-reads.ts';

figuresSuite('SQLite, long histories', onSqlite, { runs: 6, actions: 100 }).run();
