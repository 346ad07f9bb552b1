import { type EIP1193Provider, http } from 'viem'
import { describe, expectTypeOf, test } from 'vitest'
import type { PresealChain } from '../../src/index.ts'
import {
  type Access,
  type AccessRequest,
  type ChainServer,
  type Connection,
  createConnection,
  createHandler,
  type ServeOptions,
  serve,
} from '../../src/kits/server/index.ts'

declare const chain: PresealChain
declare const eip1193: EIP1193Provider

describe('types of preseal/server', () => {
  test('a handler is created from any EIP-1193 provider', () => {
    type Handler = (request: Request) => Promise<Response>
    expectTypeOf(createHandler(chain.standard)).toEqualTypeOf<Handler>()
    expectTypeOf(createHandler(eip1193, { origins: '*' })).toEqualTypeOf<Handler>()
    // @ts-expect-error a provider answers requests
    createHandler({ send: () => {} })
  })

  test('a function decides what a request may do', () => {
    const access = ({ method, headers, remoteAddress }: AccessRequest): Access | false =>
      method === 'eth_call' && headers.has('x-key') && remoteAddress !== '::1' ? { debug: true } : false
    createHandler(chain.standard, { access })
    createHandler(chain.standard, { access: async (): Promise<Access> => 'public' })
    serve(chain, { access, requestsPerSecond: 10, rateKey: ({ headers }) => headers.get('x-key') ?? '' })
    // @ts-expect-error it decides for or against
    createHandler(chain.standard, { access: () => true })
    // @ts-expect-error a public port stays public
    serve(chain, { public: { port: 0, access: 'full' } })
  })

  test('a connection sends text', () => {
    const provider = chain.provider('preconf')
    expectTypeOf(createConnection(provider, (text: string) => void text)).toEqualTypeOf<Connection>()
    // @ts-expect-error it sends nothing else
    createConnection(provider, (bytes: Uint8Array) => void bytes)
  })

  test('a server has its URLs', async () => {
    const options = { preconf: { defaultBlock: 'pending', pendingNonce: 'pool' } } as const
    expectTypeOf(options).toExtend<ServeOptions>()
    expectTypeOf(serve(chain, options)).resolves.toEqualTypeOf<ChainServer>()
    http((await serve(chain)).preconfUrl)
    expectTypeOf((await serve(chain)).publicUrl).toEqualTypeOf<string | undefined>()
    // @ts-expect-error a port is a number
    serve(chain, { port: '8545' })
  })
})
