import { describe, expectTypeOf, test } from 'vitest'
import type { StartName } from '../../src/ethereum/forks.ts'
import type {
  AnnounceOptions,
  ChainOptions,
  FaultSettings,
  Hardfork,
  ProviderOptions,
  ReorgRequest,
} from '../../src/index.ts'
import type { PresealProviderOptions } from '../../src/kits/ethers/index.ts'
import type { ConnectionOptions, HandlerOptions, ServeOptions } from '../../src/kits/server/index.ts'
import type { ConnectOptions } from '../../src/kits/worker/index.ts'

/** Each option present with the value undefined. */
type Undefined<Options> = { readonly [Name in keyof Options]-?: undefined }

describe('types of options', () => {
  test('the hardforks are those of the list of forks', () => {
    expectTypeOf<Hardfork>().toEqualTypeOf<StartName>()
  })

  test('an option can be undefined, also with exactOptionalPropertyTypes', () => {
    expectTypeOf<Undefined<ChainOptions>>().toExtend<ChainOptions>()
    type Groups = 'mempool' | 'finality' | 'history' | 'limits'
    expectTypeOf<{
      readonly [Name in Groups]: Undefined<NonNullable<ChainOptions[Name]>>
    }>().toExtend<ChainOptions>()
    expectTypeOf<{ count: undefined; mnemonic: undefined; balance: undefined }>().toExtend<
      ChainOptions['accounts']
    >()
    expectTypeOf<Undefined<FaultSettings>>().toExtend<FaultSettings>()
    expectTypeOf<Undefined<ProviderOptions>>().toExtend<ProviderOptions>()
    expectTypeOf<Undefined<AnnounceOptions>>().toExtend<AnnounceOptions>()
    expectTypeOf<{ depth: 1; replace: undefined }>().toExtend<ReorgRequest>()
    expectTypeOf<Undefined<HandlerOptions>>().toExtend<HandlerOptions>()
    expectTypeOf<Undefined<ConnectionOptions>>().toExtend<ConnectionOptions>()
    expectTypeOf<Undefined<ServeOptions>>().toExtend<ServeOptions>()
    expectTypeOf<Undefined<ConnectOptions>>().toExtend<ConnectOptions>()
    expectTypeOf<{ view: undefined; network: undefined }>().toExtend<PresealProviderOptions>()
  })
})
