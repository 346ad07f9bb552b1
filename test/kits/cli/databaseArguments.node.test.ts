import { describe, expect, it } from 'vitest'
import { databaseHelp, parseDatabaseArguments } from '../../../src/kits/cli/database/command.ts'

describe('the command line of preseal db', () => {
  it.each([
    [['verify', 'd'], { kind: 'verify', folder: 'd', json: false }],
    [['repair', 'd'], { kind: 'repair', folder: 'd', json: false }],
    [['info', 'd', '--json'], { kind: 'info', folder: 'd', json: true }],
    [['--json', 'info', 'd'], { kind: 'info', folder: 'd', json: true }],
    [['--help'], { kind: 'help' }],
    [['verify', '--help'], { kind: 'help' }],
    [[], { kind: 'misuse', message: 'db: expected info, verify, repair' }],
    [['fix', 'd'], { kind: 'misuse', message: "unknown command 'db fix': expected info, verify, repair" }],
    [
      ['verify', 'd', '--json'],
      { kind: 'misuse', message: "unknown option '--json' of db verify: expected none" },
    ],
    [
      ['info', 'd', '--all'],
      { kind: 'misuse', message: "unknown option '--all' of db info: expected --json" },
    ],
    [['info'], { kind: 'misuse', message: 'db info: expected the folder of a database' }],
    [['info', 'd', 'e'], { kind: 'misuse', message: "db info: expected one folder, not also 'e'" }],
  ])('%j', (argv, expected) => {
    expect(parseDatabaseArguments(argv)).toEqual(expected)
  })

  it('has a help text with every command', () => {
    for (const name of ['info DIR', 'verify DIR', 'repair DIR', '--json', '-h, --help'])
      expect(databaseHelp()).toContain(`\n  ${name} `)
  })
})
