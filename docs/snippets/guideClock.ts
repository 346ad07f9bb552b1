/** Time under the manual clock. */
import { createChain, createManualClock } from 'preseal'

// #region advance
const clock = createManualClock()
await using chain = await createChain({ clock })
chain.on('preconf', ({ index }) =>
  console.log(`${clock.elapsed} ms: snapshot ${index}`),
)
chain.on('block', ({ block }) =>
  console.log(`${clock.elapsed} ms: block ${Number(block.number)}`),
)

await chain.advance(400)
await chain.seal() // a slot begins
await chain.advance(200) // so a tick is due after 200 ms
await chain.advance(1800)
// #endregion advance
// => 200 ms: snapshot 1
// => 400 ms: snapshot 2
// => 400 ms: block 1
// => 400 ms: snapshot 0
// => 600 ms: snapshot 1
// => 800 ms: snapshot 2
// => 1000 ms: snapshot 3
// => 1200 ms: snapshot 4
// => 1400 ms: snapshot 5
// => 1600 ms: snapshot 6
// => 1800 ms: snapshot 7
// => 2000 ms: snapshot 8
// => 2200 ms: snapshot 9
// => 2400 ms: block 2
// => 2400 ms: snapshot 0
