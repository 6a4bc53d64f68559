import autograd.numpy as np
from autograd import value_and_grad
from ledger import size, tell

X = np.sin(np.arange(80_000) * 0.37).reshape(400, 200)
T = np.cos(np.arange(40_000) * 0.11).reshape(400, 100)
U = np.sin(np.arange(40_000) * 0.7).reshape(200, 200) * 0.1
V = np.cos(np.arange(20_000) * 0.3).reshape(200, 100) * 0.1
both = value_and_grad(lambda w: np.mean(np.square(np.dot(np.tanh(np.dot(X, w[0])), w[1]) - T)))
for _ in range(size("steps", 150)):
    loss, (by_U, by_V) = both((U, V))
    U, V = U - 0.5 * by_U, V - 0.5 * by_V
tell(loss, by_U, by_V)
