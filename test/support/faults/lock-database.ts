/**
 * Run as a child process. Holds SQLite's write lock of a file until it is killed:
 *
 *     tsx test/support/faults/lock-database.ts <file>
 */
import Database from 'libsql';

const database = new Database(process.argv[2]!);
database.exec('PRAGMA busy_timeout = 5000');
database.exec('BEGIN IMMEDIATE');
process.stdout.write('locked\n');
setInterval(() => undefined, 60_000);
