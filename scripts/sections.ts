/** The generated sections of the documentation, between `<!-- name -->` and `<!-- end of name -->`. */

import { PROVIDER_OPTIONS } from '../src/base/options/providerOptions.ts'
import { IMPORT_OPTIONS } from '../src/base/options/requests.ts'
import { CHAIN_OPTIONS } from '../src/core/options.ts'
import { help } from '../src/kits/cli/banner.ts'
import { OWN_OPTIONS } from '../src/kits/hardhat/config.ts'
import { SERVE_OPTIONS } from '../src/kits/server/options.ts'
import { errorsSection, internalSection } from './errorsTable.ts'
import { flagsTable } from './flagsTable.ts'
import { actionsTable, eventsTable, fieldsTable, membersTable } from './membersTable.ts'
import { keptOptions, namesOf, optionsTable } from './optionsTable.ts'
import { ROOMS_SECTIONS, wingsSection } from './rooms.ts'
import { speedTable } from './site/benchmarks.ts'

/** The files with generated sections. */
export const DOCUMENTS = [
  'ARCHITECTURE.md',
  'README.md',
  'docs/clients/hardhat.md',
  'docs/features/databases.md',
  'docs/features/export.md',
  'docs/index.md',
  'docs/reference/actions.md',
  'docs/reference/cli.md',
  'docs/reference/errors.md',
  'docs/reference/events.md',
  'docs/reference/options.md',
  'src/base/README.md',
  'src/core/README.md',
  'src/ethereum/README.md',
  'src/inspect/README.md',
  'src/kits/README.md',
]

const EVENTS = 'src/base/eventTypes.ts'
const HANDLE = 'src/chain/handle.ts'

const SECTIONS: Readonly<Record<string, () => string>> = {
  wings: wingsSection,
  ...ROOMS_SECTIONS,
  speed: speedTable,
  errors: errorsSection,
  'errors that are not exported': internalSection,
  'events of a chain': () => eventsTable(EVENTS, 'ChainEvents'),
  'fields of PreconfBlock': () => fieldsTable(EVENTS, 'PreconfBlock'),
  'fields of SealedBlock': () => fieldsTable(EVENTS, 'SealedBlock'),
  'fields of Retraction': () => fieldsTable(EVENTS, 'Retraction'),
  'fields of ConsoleLog': () => fieldsTable(EVENTS, 'ConsoleLog'),
  'fields of ChainSchedule': () => fieldsTable(EVENTS, 'ChainSchedule'),
  'events of a provider': () => eventsTable('src/rpc/provider.ts', 'ProviderEvents'),
  'members of a chain': () => membersTable(HANDLE, 'AnyChain'),
  'cheats of a chain': () => membersTable(HANDLE, 'ChainCheats'),
  'views of a chain': () => membersTable(HANDLE, 'ChainViews'),
  'members under a manual clock': () => membersTable(HANDLE, 'ManualTime'),
  'actions of viem': actionsTable,
  flags: flagsTable,
  help: () => `\`\`\`\n${help()}\`\`\``,
  'options in databases': () => keptOptions(CHAIN_OPTIONS, 'database'),
  'options in exports': () => keptOptions(CHAIN_OPTIONS, 'export'),
  'options that Hardhat lacks': () => namesOf(OWN_OPTIONS),
  'options of a chain': () => optionsTable(CHAIN_OPTIONS, 'src/core/options.ts', 'CHAIN_OPTIONS'),
  'options of a connection': () =>
    optionsTable(PROVIDER_OPTIONS, 'src/base/options/providerOptions.ts', 'PROVIDER_OPTIONS'),
  'options of an import': () =>
    optionsTable(IMPORT_OPTIONS, 'src/base/options/requests.ts', 'IMPORT_OPTIONS'),
  'options of a server': () =>
    optionsTable(SERVE_OPTIONS, 'src/kits/server/options.ts', 'SERVE_OPTIONS', (group) => group === 'public'),
}

/** A document with its sections generated again. */
export function withSections(text: string): string {
  return text.replace(/<!-- ([\w ]+) -->\n[\s\S]*?<!-- end of \1 -->/g, (whole, name: string) => {
    const section = SECTIONS[name]
    return section === undefined ? whole : `<!-- ${name} -->\n\n${section()}\n\n<!-- end of ${name} -->`
  })
}
