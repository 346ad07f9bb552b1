/** A process with a served chain, which is killed at the requested moment of closing. */
import { once } from 'node:events'
import { createChain } from '../../src/index.ts'
import { serve } from '../../src/kits/server/index.ts'
import { dieAt, type Moment } from './die.ts'

const chain = await createChain({ blockTime: 40, preconfInterval: 10 })
const server = await serve(chain, { port: 0, preconfPort: 0 })
const { url, preconfUrl } = server
process.send!({ url, preconfUrl, accounts: chain.accounts })
const [moment] = (await once(process, 'message')) as [Moment]
void dieAt(moment, () => process.kill(process.pid, 'SIGKILL'))
await server.close()
await chain.close()
