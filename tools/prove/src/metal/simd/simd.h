// MSL texts include this header too and use nothing of it.
#pragma once
